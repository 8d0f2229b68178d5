// Package profile is the profile file of one node and run.
//
// A Writer takes a Header (which columns, on which grid, from which clocks), then about every second a Block of
// samples, from time to time an Epoch (from here on samples mean something else), and in the end a Footer. Load
// returns a series.Set for the analyses with the Quality and the totals beside it; a Reader returns the blocks.
//
// The file is a sequence of frames that may end at any moment. Each block is appended by one write, and the
// file is forced to the disk every SyncEvery: killing the agent loses the block that it had not written, a
// crash of the machine the last ten seconds. No block depends on another: a reader takes every frame whose
// checksum holds, and describes in Damage what it left out. When the disk is full, a partly written block is
// cut off again. A profile that nears its maximum size continues at 20 Hz, then at 1 Hz, and then Append
// returns ErrFull (cap.go).
//
// Each block is followed by its code addresses in steps of the job's CPU time: bins of 1 to 2 ms (bins.go,
// cpu.go). From time to time the hits by place within files follow (places.go).
//
// A reader skips kinds of frames that it does not know. A new kind is a constant and its layout in frame.go, a
// method of Writer like WriteEpoch, and a case of Reader.keepFrame; it gets a seed in FuzzFrames, and no new
// version. A version that changes existing frames includes a reader for the version before (version.go).
//
// Counts are rounded, unless WriterOptions.Lossless is set: to at most 1/256 of the median step that a column
// has within the block. No value is further than half of that from what was read, the first and last of a block
// are exact, and counters never run backwards, so that errors never add up. Column.Quantum is the largest one
// read.
//
// So that the report of a long job takes no longer than that of a short one, an overview repeats every ten
// seconds the blocks before it with eight slots merged (overview.go). Load reads every slot of up to 6 h at 200
// Hz with 8 columns, and overviews of longer runs, of which eight slots or more are merged anyway.
//
// The package does not fill gaps: slots without a block are missing, and so is a rate whose counter was not
// read on both sides or ran backwards. Columns that are read seldom are not in the set in which periods are
// searched. IPC is computed only from instructions and cycles of one scope. A profile contains neither paths
// nor symbols. A length in a file is used only if it is within limits.go and covered by bytes of the file.
//
// A day of 8 columns takes 85 MB, with code addresses 264 MB at most (MEASURED.md).
package profile
