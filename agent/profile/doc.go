// Package profile is the profile file of one node and run.
//
// In come a header (which columns, on which grid, from which clocks), then
// about every second a Block of samples, and in the end a Footer. Out come the
// blocks again, or a series.Set for the analyses with the Quality and the
// totals beside it.
//
// The file is made to be cut off at any moment. A block is written with one
// write to a file that is only appended to, and forced to the disk every
// SyncEvery, so that killing the agent loses the block it had not written and
// a crash of the machine loses ten seconds. Nothing at the end is needed to
// read the rest: a reader takes the longest valid prefix, and goes on at the
// next magic whose checksum holds. What it left out stands in Damage. When the
// disk is full, what was written of a block is cut off again, and the blocks
// written once there is room are a continuation with a gap.
//
// It refuses to fill gaps: slots without a block are missing, and so is a rate
// whose counter was not read on both sides or ran backwards. It calls IPC only
// instructions over cycles of one scope. It stores no path and no symbol. It
// believes no length in a file before it is within limits.go and covered by
// bytes that are there, so that a forged file costs memory in proportion to
// its size (values 8 bytes for a bit at most) and no more than maxWaste of
// checksums.
//
// The layout is in frame.go and encode.go. Version stays 0 while it may change:
// compression and quantising are still to come.
//
// Measured with the synthetic node of profiletest (2 CPUs, 8 columns with
// noise in every slot, 1 kHz of addresses and 35 pages a second; 2 cores that
// others kept busy too, so that times are upper bounds):
//
//	written   4.3 kB a second: 369 MB in 24 h; a block takes 25 us
//	Load      1 h 0.15 s,  77 MB; 24 h 3.4 s,  250 MB, of which the set is 233 MB
//	Read      1 h 0.09 s,  97 MB; 24 h 5.6 s, 2330 MB
//
// A real run of 20 s at 2 kHz with 4 columns and 36 pages a block took 2.2 kB a
// second. Of Load, two thirds are the two passes of decoding: the first only
// finds which pages deserve a column.
package profile
