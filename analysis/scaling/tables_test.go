package scaling_test

import (
	"flag"
	"os"
	"testing"
)

var (
	tables = flag.String("tables", "", "tables to print")
	seed   = flag.Uint64("seed", 1, "seed of the draws")
	count  = flag.Int("count", 100, "series in each cell")
)

func TestTables(t *testing.T) {
	if *tables == "" {
		t.Skip("prints tables with -args -tables all")
	}
	badRuns(*seed, *count, os.Stdout)
}
