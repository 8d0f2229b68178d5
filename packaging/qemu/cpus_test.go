package qemu

import (
	"flag"
	"fmt"
	"testing"
	"time"
)

var cpusOf = flag.Int("cpus", 0,
	"number of CPUs of a machine to boot, of which one is busy; prints a line of the table in agent/MEASURED.md")

// manyCPUs is the guest's report on the agent on a machine of which one CPU is busy.
type manyCPUs struct {
	Samples, Missing, Lost int64
	AgentS                 float64 `json:"agent_s"`
	StartS                 float64 `json:"start_s"`
	SpanS                  float64 `json:"span_s"`
	ResidentKB             int64   `json:"resident_kb"`
	MappedKB               int64   `json:"mapped_kb"`
	Descriptors            int
	Bytes                  int64
	AddressHz              float64 `json:"address_hz"`
	RateHz                 float64 `json:"rate_hz"`
	Notes                  []string
	Uncertain              map[string]float64
}

// TestManyCPUs prints what the agent lost and cost on a machine of many CPUs. Its times are
// those of the emulation: an instruction takes a nanosecond.
func TestManyCPUs(t *testing.T) {
	if *cpusOf == 0 {
		t.Skip("by hand: -args -cpus 64")
	}
	m := machine{cpus: *cpusOf, memoryMB: 2048, limit: 40 * time.Minute, noPMU: true}
	m.tests = []judged{{"cpus", as(func(t *testing.T, m machine, c manyCPUs) {
		fmt.Printf("| %d | %.2f %% | %.3f %% | %.0f | %.0f + %.0f | %.1f | %d | %.0f |\n", m.cpus,
			100*float64(c.Missing)/float64(max(1, c.Samples)),
			100*c.AgentS/3, 1e3*c.StartS, float64(c.ResidentKB)/1e3, float64(c.MappedKB)/1e3,
			float64(c.Bytes)/1e3/max(1, c.SpanS), c.Descriptors, c.AddressHz)
		fmt.Println(c.Samples, "slots at", c.RateHz, "Hz,", c.Lost, "records lost, uncertain:", c.Uncertain)
		for _, n := range c.Notes {
			fmt.Println("  ", n)
		}
		if c.Samples == 0 || float64(c.Missing) > 0.02*float64(c.Samples) {
			t.Errorf("%d of %d slots missing", c.Missing, c.Samples)
		}
	})}}
	for _, told := range m.run(t, newImage(t)) {
		if told.Error != "" {
			t.Error(told.Error)
		}
		for _, j := range m.tests {
			if j.check == told.Check {
				j.judge(t, m, told.Value)
			}
		}
	}
}
