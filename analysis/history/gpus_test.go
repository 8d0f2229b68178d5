package history

import (
	"fmt"
	"testing"
)

// The view contains what is read of a GPU: times, energy, and shares to a hundredth of a percent.
func TestGPUsOfTheView(t *testing.T) {
	db := open(t)
	s := oneNode(812400)
	s.GPUs = onGPUs()
	g := &s.GPUs[0]
	g.SlowedS, g.HeatSlowedS, g.Tensor, g.DRAM = ptr(4.5), ptr(1.5), ptr(.2143), ptr(.0871)
	mustPut(t, db, s, Ingest{})
	var got string
	for _, column := range []string{"ReadS", "EnergyJ", "MeanW", "ActiveS", "SlowedS", "HeatS", "SMShare", "Occupancy",
		"TensorShare", "DRAMShare", "MemoryPeak", "IdleShare"} {
		var v float64
		if err := db.sql.QueryRow("SELECT " + column + " FROM job_gpus WHERE JobID = '812400' AND GPU = 0").
			Scan(&v); err != nil {
			t.Fatalf("%s: %v", column, err)
		}
		got += fmt.Sprintf("%s %g ", column, v)
	}
	const want = "ReadS 50 EnergyJ 12500 MeanW 250 ActiveS 34.5 SlowedS 4.5 HeatS 1.5 SMShare 0.612 Occupancy 0.305 " +
		"TensorShare 0.2143 DRAMShare 0.0871 MemoryPeak 7.1e+10 IdleShare 0.31 "
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	var nulls int
	if err := db.sql.QueryRow(`SELECT count(*) FROM job_gpus WHERE GPU = 1 AND EnergyJ IS NULL AND SMShare IS NULL
		AND TensorShare IS NULL AND DRAMShare IS NULL AND HeatS IS NULL`).Scan(&nulls); err != nil || nulls != 1 {
		t.Errorf("of the GPU of which nothing is known: %d rows, %v", nulls, err)
	}
}
