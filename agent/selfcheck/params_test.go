package selfcheck

import (
	"fmt"

	"jobgait/agent/counter"
)

// Params are how the measurement is made.
type Params struct {
	// CPU is where the loop runs, -1 = the last that this process may use:
	// interrupts of devices tend to come to the first.
	CPU int
	// Hz is the amplified rate. More is surer, up to where records crowd:
	// at 10 kHz and 12 us a record an eighth of the CPU is gone.
	Hz float64
	// Pairs and HalfNS are how often, and for how long on and off: 80 pairs of
	// twice 10 ms are 1.6 s. Many short ones are surer than few long ones, since
	// what else the machine does changes slowly: with nothing switched on, and a
	// load of 10, the interval of 4.8 s was 1.0 % wide with halves of 160 ms,
	// 0.5 % with 40 ms, 0.25 % with 10 ms and 0.3 % with 5 ms.
	Pairs  int
	HalfNS int64
	// ChunkNS is how much work is timed at once; Wild is how many times the
	// median a chunk may take. A record must not be wild: here it may take up
	// to 100 us.
	ChunkNS int64
	Wild    float64
	// Cap is how many times a quiet one a chunk may take where sources are
	// measured as they are. With counters and 200 addresses a second, and a
	// load of 2, the interval of 150 pairs was 0.43 % wide by the mean of
	// chunks that are not wild, 0.22 % by quiet ones and a cap of 1.25, and
	// 0.33 % with 1.5; the estimates, over 1,100 pairs, were 0.70, 0.66 and
	// 0.72 %. A record may take up to 50 us then.
	Cap float64
	// Sources, if any, are started and stopped as they are in SourcePairs
	// more pairs. They are the caller's to close.
	Sources     []counter.Source
	SourcePairs int
	// SettleNS bounds the random time that passes between switching sources
	// on and the loop: a period of the counters. Of slower timers, 100 Hz, a
	// half is a whole period.
	SettleNS int64
}

// Default returns the settings of the numbers.
func Default() Params {
	return Params{CPU: -1, Hz: 4000, Pairs: 80, HalfNS: 10e6, ChunkNS: 200e3, Wild: 1.5, Cap: 1.25,
		SourcePairs: 200, SettleNS: 5e6}
}

// check refuses what cannot give an interval.
func (p Params) check() error {
	switch {
	case p.Pairs < 6, len(p.Sources) > 0 && p.SourcePairs < 6:
		return fmt.Errorf("%d and %d pairs: fewer than six have no 95 %% interval", p.Pairs, p.SourcePairs)
	case !(p.Hz >= 100 && p.Hz <= 20_000):
		return fmt.Errorf("%v records a second: not from 100 to 20000", p.Hz)
	case p.ChunkNS < 10_000, p.HalfNS < 8*p.ChunkNS, p.HalfNS > 10e9:
		return fmt.Errorf("halves of %d ns in chunks of %d ns: not from 8 chunks to 10 s", p.HalfNS, p.ChunkNS)
	case !(p.Wild > 1 && p.Cap > 1):
		return fmt.Errorf("chunks of %v times the median, and %v times a quiet one, are wild: not more than 1", p.Wild, p.Cap)
	}
	return nil
}
