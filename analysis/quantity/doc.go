// Package quantity prints numbers for people. A value in SI units comes in, its
// text goes out; every text of jobgait that holds a percentage, a duration, a
// count or a measured value gets it here, so that one value looks the same in a
// report, a mail, a page and a note.
//
//	12.3 %   0.35 %   135 %   +12.3 %   11.8 .. 12.9 %   Percent, Signed, PercentRange
//	88.1 %   < 0.01 %   99.9 %   100 %                   Share, of 0..1: only all is 100 %
//	95 %   2 %                                           Chosen: what somebody set, exactly
//	85 ms   12.3 s   51:53   1:00:04                     Duration
//	85.0 ms   6.20 s   12.3 min                          Period: how long what recurs takes
//	12,345   2 runs   1.23 GB   1,230   0.0123           Count, Plural, Amount, Figures
//
// A missing number, which includes NaN and infinity, is printed as "-", never as 0. Percentages have one
// decimal, two below 1 and none from 100 on, so that values from 0.1 % on have at least two figures. Whole
// numbers have commas from 1,000 on; sizes that a user chose (Exact) have none, because users type them again.
package quantity
