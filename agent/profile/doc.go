// Package profile is the profile file of one node and run.
//
// In come a header (which columns, on which grid, from which clocks), then
// about every second a Block of samples, now and then an Epoch (from here on
// samples mean something else), and in the end a Footer. Out come the blocks
// again, or a series.Set for the analyses with the Quality and the totals
// beside it.
//
// The file is made to be cut off at any moment. A block is written with one
// write to a file that is only appended to, and forced to the disk every
// SyncEvery, so that killing the agent loses the block it had not written and
// a crash of the machine loses ten seconds. Nothing at the end is needed to
// read the rest, and no block needs another: a reader takes the longest valid
// prefix, and goes on at the next magic whose checksum holds. What it left out
// stands in Damage. When the disk is full, what was written of a block is cut
// off again, and the blocks written once there is room are a continuation with
// a gap. A profile with a size that it may reach goes on at 20 Hz, then at 1
// Hz, and then says ErrFull (cap.go).
//
// Counts are rounded, unless Options.Lossless: to a quantum of at most 1/256 of
// the median step that a column has within the block. No value is further than
// half of it from what was read; the first and last of a block are exact and
// counters never run backwards, so that errors never add up. The quantum stands
// in the block; Column.Quantum is the largest one read.
//
// The body of a block is packed by an entropy coder of our own (entropy.go,
// tables.go, steps.go), because a block of a second is too short for one that
// sends its tables, and because only we know that a step is noise around the
// level of a phase. zstd of varints stays in the format for readers of other
// makes, and plain varints for those without either.
//
// Whoever waits for the report of a job must not wait longer because the job
// was long. So every ten seconds or so an overview follows the blocks: the same
// once more with eight slots merged into one (overview.go). Load unpacks every
// slot of runs up to 6 h at 200 Hz with 8 columns, and only overviews of longer
// ones, which were merged by eight or more anyway; of the pages of a block it
// unpacks those up to the last that gets a column. A body that is not unpacked is
// known by its checksum only.
//
// It refuses to fill gaps: slots without a block are missing, and so is a rate
// whose counter was not read on both sides or ran backwards. It keeps columns
// that are read seldom out of the set that periods are looked for in. It calls
// IPC only instructions over cycles of one scope. It stores no path and no
// symbol. It believes no length in a file before it is within limits.go and
// covered by bytes that are there, so that a forged file costs the memory of a
// block where it is gone through, and 256 bytes for each of its own and 64 MB
// where it is kept.
//
// The layout is in frame.go, encode.go, head.go and overview.go. This is version
// 1, which is not released yet (version.go has the readers of headers by version): overviews, the second stream of a body and the
// order of samples and pages in it came last.
//
// Measured with the synthetic node of profiletest (2 CPUs, 8 columns with noise
// in every slot; with addresses: 1 kHz and 35 pages a second) on 2 cores that
// other programs kept busy (load 8 to 14), so that times of the clock say
// little: "cpu" is CPU time of all threads, the least of 5 runs:
//
//	24 h              rounded  lossless  zstd of the same two
//	8 columns         81.9 MB  196 MB    89.4 MB  224 MB
//	  in 0.8 s blocks 82.9 MB
//	and addresses     167 MB   286 MB    181 MB   324 MB   (369 MB in version 0)
//	of which overviews are 16 MB of the columns and about 20 MB of the pages
//
//	Append    0.011 % of a core; with addresses 0.018 %
//	decode    MB of raw columns (8 bytes a value of each slot of each column;
//	          pages are unpacked too and not counted) a second of cpu: 944; with
//	          addresses 413. With one stream of 16-bit words it was 486 and 220.
//	Load      s of cpu     1 h    5.9 h  24 h
//	          8 columns    0.073         0.31
//	          with pages   0.15   0.64   0.75   (24 h without overviews 5.9)
//	          the set has 20, 59 and 58 million values; memory for 24 h 235 MB, of
//	          which the set is 233 MB
//	kill -9   70 writers of 0.8 s blocks, each at a random moment: 0.79 s lost at
//	          worst, 0.41 s in the mean
//	size      a cap of 500 MB lasts 196 h with addresses, 299 h without
//	damage    10 MB of damaged profiles, three quarters with their checksums
//	          mended: no crash, 0.32 MB allocated at most for a file of 2 kB
//
// Of what was tried, tables of two-sided distributions made files 0.5 % smaller,
// and are not worth their lines; overviews rounded to 1/256 of a step instead of
// 1/64 would take 2 MB more.
package profile
