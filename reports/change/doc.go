// Package change renders what changed in histories, and how two of them compare, as text, pictures and JSON.
// Histories with the results of package changepoint come in; a text that can be mailed as it is, the JSON forms
// jobgait.changes/1 and jobgait.compare/1 and SVG pictures go out.
//
// The words follow the paper's mails (pass, warn, fail) without blaming anyone: pass, watch (seen, not
// confirmed by further runs) and changed. A field that changed with the level "changed then"; it is never
// called the cause. A shift of the machine is reported once and for no job.
//
// The first two lines of the text summarize it for a mail: how many histories changed and which are slower now,
// the worst first, or the result of a single one. After them come the machine, what changed, what may be
// changing, and the rest; of hundreds the first are described in full, the next in a line, the others named or
// counted. The number expected by chance refers to the printed changes only.
//
// Two histories are compared by days or scales that they share, else as two sets of runs, with a note that the
// machine may have differed. One history can be split by a recorded field (With), which compares two builds.
//
// Of many histories some look worse by chance: what --check counts holds the false discovery rate at 5 %
// (Worse). In 20 to 25 lists of 200 histories of 100 runs without a change, independent or correlated by 0.3,
// none had an entry; a lone 8 % among 500, 10 runs old with a noise of 2 %, was counted in 4 of 4. For a site,
// chances use its own rate (OwnRate) if that is larger than the calibrated one.
//
// Indexes in JSON are those of the input, also where it had to be sorted. Missing numbers are null; a number is
// never NaN.
package change
