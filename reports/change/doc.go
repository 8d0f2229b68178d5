// Package change says in words, pictures and JSON what changed in histories and
// how two of them compare. Histories with the results of package changepoint
// come in; a text that can be mailed as it is, the JSON forms jobgait.changes/1
// and jobgait.compare/1 and SVG pictures go out.
//
// The words are those of the paper's mails, pass, warn and fail, for people who
// are not at fault yet: pass, watch (seen, not confirmed by further runs) and
// changed. A field that changed with the level is said to have "changed then",
// never to be the cause; a shift of the machine is said once and of no job.
//
// The first two lines of the text are what a mail is read for: how many histories
// changed and which are slower now, the worst first, or what became of a lone one.
// After them come the machine, what changed, what may be changing, and the rest;
// of hundreds the first are told at length, the next in a line, the others named or
// counted. What chance would give is said of what is told and of nothing else.
//
// Two histories are compared by days or scales that they share, else as two sets of
// runs, with a note that the machine may have differed. One history is split by what
// was recorded of its runs (With): that compares two builds.
//
// Of many histories some look worse by chance: what --check counts holds the
// false discovery rate at 5 % (Worse). In 20 to 25 lists of 200 histories of 100
// runs without a change, independent or correlated by 0.3, none had an entry; a
// lone 8 % among 500, 10 runs old with a noise of 2 %, was counted in 4 of 4. Of a site
// chances are those by its own rate (OwnRate), where that is larger than calibration's.
//
// Indexes in JSON are those of the input, also where it had to be sorted.
// Numbers that there are not are null; a number is never NaN.
package change
