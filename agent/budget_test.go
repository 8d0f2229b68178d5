package main

import (
	"math"
	"math/rand/v2"
	"testing"

	"jobgait/agent/counter/address"
)

var (
	virtual = prices{cpus: 2, interruptNS: 12e3}
	metal   = prices{cpus: 128, interruptNS: 3e3}
)

func TestPlannedRates(t *testing.T) {
	for _, c := range []struct {
		name     string
		p        prices
		limit    float64
		counters int
		hz       float64 // of addresses, beside them
		first    float64 // at the beginning, 0 = the same
	}{
		{"virtual, cluster", virtual, 0.5, 200, 100, 25},
		{"virtual, one machine", virtual, 2, 200, 1000, 0},
		{"virtual, next to nothing", virtual, 0.1, 50, 10, 0},
		{"bare metal, cluster", metal, 0.5, 200, 100, 0},
		{"bare metal of 8 CPUs", prices{cpus: 8, interruptNS: 3e3}, 0.5, 200, 1000, 0},
		{"bare metal, little", metal, 0.05, 100, 25, 0},
	} {
		if got := c.p.counterHz(c.limit, 200); got != c.counters {
			t.Errorf("%s: counters at %d Hz, want %d", c.name, got, c.counters)
		}
		room := c.p.addressHz(c.limit, float64(c.counters), 0)
		rate := address.ChooseRate(0, c.p.cpus, 5e6)
		if room < rate.Hz {
			rate = address.ChooseRate(max(1, int(room)), c.p.cpus, 5e6)
		}
		first := 0.0
		if hz := c.p.startAddressHz(room, rate.Hz); hz > 0 {
			first = address.ChooseRate(int(hz), c.p.cpus, 5e6).Hz
		}
		if rate.Hz != c.hz || first != c.first {
			t.Errorf("%s: first %g Hz, want %g", c.name, first, c.first)
		}
		if rate.Hz != c.hz {
			t.Errorf("%s: addresses at %g Hz, want %g (room for %.0f)", c.name, rate.Hz, c.hz, room)
		}
	}
}

// The planned rates fit the budget, for any price, budget and number of CPUs.
func TestPlanFitsTheBudget(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		p := prices{cpus: 1 + r.IntN(256), interruptNS: math.Exp(r.Float64()*5) * 300}
		limit := math.Exp(r.Float64()*6) / 20 // 0.05 to 20 %
		counters := p.counterHz(limit, 200)
		interrupts := r.IntN(2) * p.cpus * (1 + 3*r.IntN(2))
		read := p.readHz(limit, interrupts)
		if interrupts == 0 {
			read = 0
		}
		hz := p.addressHz(limit, float64(counters), p.readPct(read, interrupts))
		if hz == 0 {
			continue
		}
		records := (float64(counters) + hz) * float64(p.cpus)
		own := assumedOwnNS + records*assumedRecordNS + read*(assumedReadNS+float64(interrupts)*p.interruptNS)
		if got := p.percentOfCPUs(own, records+read*float64(interrupts), 1e9); got > 0.91*limit {
			t.Fatalf("%+v: %.3f %% of %.3f %%", p, got, limit)
		}
	}
}

func TestReadingsOfTheJob(t *testing.T) {
	for _, c := range []struct {
		name       string
		p          prices
		limit      float64
		interrupts int
		lo, hi     float64
	}{
		{"cgroup, virtual", virtual, 0.5, 2, 12, 15},
		{"cgroup, 16 CPUs", prices{cpus: 16, interruptNS: 3e3}, 0.5, 16, 50, 50},
		{"command, virtual", virtual, 2, 8, 25, 30},
		{"command, virtual, much", virtual, 20, 8, 50, 50},
		{"cgroup, 128 CPUs", metal, 0.5, 128, 7, 8},
		{"next to nothing", virtual, 0.01, 8, minReadHz, minReadHz},
	} {
		if hz := c.p.readHz(c.limit, c.interrupts); hz < c.lo || hz > c.hi {
			t.Errorf("%s: %.1f readings a second", c.name, hz)
		}
	}
}

func TestPriceOfRecords(t *testing.T) {
	// 400 records a second on 2 CPUs at 12 us each, and 2 ms for the agent itself.
	if got := virtual.percentOfCPUs(2e6, 400, 1e9); math.Abs(got-0.34) > 1e-9 {
		t.Errorf("%v %%", got)
	}
	if got := (prices{}).percentOfCPUs(1, 1, 0); got != 0 {
		t.Errorf("no time: %v %%", got)
	}
}

// node is a simulated node: its cost depends on the rates, and on a load that makes everything more expensive
// than planned.
type node struct {
	prices
	addressHz, counterHz, slowNS float64
	ownNS                        float64 // of CPU time a second
}

func (n node) second() (cpuNS, records, ofAddresses float64) {
	ofAddresses = n.addressHz * float64(n.cpus)
	records = ofAddresses + n.counterHz*float64(n.cpus)
	return n.ownNS + n.slowNS + records*assumedRecordNS, records, ofAddresses
}

// Whatever makes sampling more expensive, rates fall before a minute costs more than the budget, as long as
// something can be reduced. If nothing is too expensive, nothing is reduced.
func TestRatesFallBeforeTheBudgetIsExceeded(t *testing.T) {
	for name, c := range map[string]struct {
		ownNS float64 // from the start
		grow  float64 // per second
		gives bool
	}{
		"as planned":               {1.5e6, 0, false},
		"expensive from the start": {12e6, 0, true},
		"slowly more expensive":    {1.5e6, 20e3, true},
		"as expensive as allowed":  {4e6, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			n := node{prices: virtual, addressHz: 1000, counterHz: 200, ownNS: c.ownNS}
			m := newOverheadMeter(virtual, 2)
			var cpu, records, of, now float64
			minute := make([]float64, 0, 4000)
			gave := 0
			for s := range 1200 {
				now += 1e9
				dc, dr, da := n.second()
				cpu, records, of = cpu+dc, records+dr, of+da
				minute = append(minute, m.percentOfCPUs(dc, dr, 1e9))
				n.ownNS = min(n.ownNS+c.grow, 14e6)
				save, addresses := m.update(int64(now), int64(cpu), int64(records), int64(of))
				if save > 0 {
					gave++
					n.addressHz = max(minAddressHz, n.addressHz*(1-save/addresses))
				}
				if s >= 60 {
					sum := 0.0
					for _, v := range minute[len(minute)-60:] {
						sum += v / 60
					}
					if sum > 2.0 {
						t.Fatalf("after %d s the last minute cost %.2f %%", s, sum)
					}
				}
			}
			if (gave > 0) != c.gives {
				t.Errorf("gave something up %d times; addresses end at %.0f Hz, cost %.2f %%", gave, n.addressHz,
					minute[len(minute)-1])
			}
		})
	}
}

// A second in which the job starts a thousand programs costs no samples.
func TestABurstCostsNothing(t *testing.T) {
	n := node{prices: virtual, addressHz: 1000, counterHz: 200, ownNS: 2e6}
	m := newOverheadMeter(virtual, 2)
	var cpu, records, of int64
	for s := range int64(600) {
		dc, dr, da := n.second()
		cpu, records, of = cpu+int64(dc), records+int64(dr), of+int64(da)
		if s%100 == 50 {
			cpu += 60e6 // 3 % of both CPUs for a second
		}
		// of 70 programs a second that start and end
		records, of = records+1000*sideRecordNS/12_000, of+1000*sideRecordNS/12_000
		if save, _ := m.update((s+1)*1e9, cpu, records, of); save > 0 {
			t.Fatalf("after %d s: saves %.2f %%", s, save)
		}
	}
}
