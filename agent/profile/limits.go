package profile

// A profile is read after crashes and full disks, and `jobgait replay` reads
// anybody's file, so every length in it is held against one of these before
// anything is allocated for it. A block as the agent writes it has 200 slots,
// about 8 columns and at most 48 pages.
const (
	maxSlots   = 1_000_000
	maxColumns = 256
	maxPages   = 4096
	maxPayload = 64 << 20
	// maxJSON is for the header and the footer.
	maxJSON = 1 << 20
	// maxCells bounds slots x columns and slots x pages of one block: pages
	// are sparse in the file and dense in memory, so that without it a few
	// kilobytes could ask for 8 GB.
	maxCells = 4 << 20
	// maxSlot bounds the grid: 2^40 slots of 5 ms are 174 years.
	maxSlot = int64(1) << 40
	// maxWaste is how many bytes may be checksummed in vain. Random damage
	// wastes a few kilobytes; a file made of magics would cost the square
	// of its size.
	maxWaste = int64(1) << 30
	// maxDecoded is what Read keeps in memory: 24 h of 8 columns and 48
	// pages are 2.9 GB. Longer profiles are for Open or Load.
	maxDecoded = int64(4) << 30
)
