package profile

// A profile is read after crashes and full disks, and `jobgait replay` reads files of any origin, so every
// length in a profile is checked against one of these limits before memory is allocated for it. A block as the
// agent writes it has about 160 slots (256 at most), 8 columns and at most 48 pages.
const (
	maxSlots   = 1024
	maxColumns = 256
	// maxGrowth is how many values a byte of payload may stand for: a column
	// without any value is one byte, and 256 slots in memory.
	maxGrowth  = 256
	maxPages   = 256
	maxPayload = 16 << 20
	// maxJSON is for the header, the footer and epochs.
	maxJSON = 1 << 20
	// maxEpochs is how many epochs a reader keeps: 192 h with one a minute
	// are 11,520.
	maxEpochs = 20_000
	// maxSlot bounds the grid: 2^40 slots of 5 ms are 174 years.
	maxSlot = int64(1) << 40
	// maxWaste is how many bytes may be checksummed in vain. Random damage
	// wastes a few kilobytes; a file made of magics would cost the square
	// of its size.
	maxWaste = int64(1) << 30
	// maxStream is how much LoadStream holds: twice the default cap of a file.
	maxStream = int64(1) << 30
	// maxDecoded is what Read keeps in memory: 24 h of 8 columns and 48
	// pages are 2.9 GB. Longer profiles are for Open or Load.
	maxDecoded = int64(4) << 30
)
