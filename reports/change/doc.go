// Package change renders what changed in histories, and how two of them compare, as text, pictures and JSON. It
// takes histories with the results of package changepoint and writes a text that can be mailed, the JSON forms
// jobgait.changes/1 and jobgait.compare/1, and SVG pictures.
//
// The statuses follow the paper's mails (pass, warn, fail) in neutral words: pass, watch (seen, not confirmed
// by further runs) and changed. A field that changed with the level "changed then"; the text never calls it the
// cause. A shift of the machine is reported once, not for each job.
//
// The first two lines of the text summarize it for a mail: how many histories changed and which are slower now,
// the worst first, or the result of a single one. After them come the machine, what changed, what may be
// changing, and the rest; of hundreds of histories the first are described in full, the next in a line each,
// the others named or counted. The number expected by chance refers to the printed changes only.
//
// Two histories are compared by the days or scales that they share, else as two sets of runs, with a note that
// the machine may have differed. With splits one history by a recorded field, which allows comparing two
// builds.
//
// Of many histories some look worse by chance: WorseHistories, which --check counts, keeps the false discovery rate at
// 5 %. In 20 to 25 lists of 200 histories of 100 runs without a change, independent or correlated by 0.3, none had an
// entry; a lone 8 % among 500, 10 runs old with a noise of 2 %, was counted in 4 of 4. For a site, chances use its own
// rate (OwnRate) if that is larger than the calibrated one.
//
// Indexes in JSON are those of the input, also where it had to be sorted. Missing numbers are null; a number is
// never NaN.
package change
