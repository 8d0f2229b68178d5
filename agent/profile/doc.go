// Package profile is the profile file of one node and run.
//
// In come a header (which columns, on which grid, from which clocks), then about
// every second a Block of samples, now and then an Epoch (from here on samples mean
// something else), and in the end a Footer. Out comes a series.Set for the analyses
// with the Quality and the totals beside it (Load), or the blocks again (Reader).
//
// The file is a sequence of frames and made to be cut off at any moment. A block is
// one write to a file that is only appended to, forced to the disk every SyncEvery:
// killing the agent loses the block it had not written, a crash of the machine ten
// seconds. No block needs another: a reader takes every frame whose checksum holds,
// and says in Damage what it left out. When the disk is full, a part of a block is
// cut off again. A profile that reaches its size goes on at 20 Hz, then at 1 Hz, and
// then says ErrFull (cap.go).
//
// Behind a block stand its code addresses once more, on the job's own clock: bins of 1
// to 2 ms of its CPU time (bins.go, cpu.go); now and then, where within files (places.go).
//
// A reader passes over kinds of frames that it does not know. A new kind is a
// constant and its layout in frame.go, a method of Writer beside Epoch, and a case of
// Reader.keep; it gets a seed in FuzzFrames, and no new version. A version that
// changes what frames there are brings the reader of the one before (version.go).
//
// Counts are rounded, unless Options.Lossless: to at most 1/256 of the median step
// that a column has within the block. No value is further than half of that from what
// was read, the first and last of a block are exact, and counters never run
// backwards, so that errors never add up. Column.Quantum is the largest one read.
//
// The report of a long job must not take longer: every ten seconds an overview repeats the blocks before it
// with eight slots merged (overview.go). Load reads every slot of up to 6 h at 200 Hz with 8 columns, and
// overviews of longer runs, of which eight slots or more are merged anyway.
//
// The package does not fill gaps: slots without a block are missing, and so is a rate whose counter was not
// read on both sides or ran backwards. Columns that are read seldom are not in the set that periods are looked
// for in. IPC is only instructions over cycles of one scope. It stores no path and no symbol. A length in a
// file is used only if it is within limits.go and covered by bytes of the file.
//
// A day of 8 columns takes 85 MB, with code addresses 264 MB at most (MEASURED.md).
package profile
