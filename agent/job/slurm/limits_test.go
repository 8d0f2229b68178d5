package slurm

import (
	"fmt"
	"strings"
	"testing"
)

func TestLimits(t *testing.T) {
	for text, want := range map[string]float64{"1-02:03:04": 93784, "00:30:00": 1800, "100:00:00": 360000, "UNLIMITED": 0,
		"365-00:00:00": 0, "364-00:00:00": 364 * 86400,
		"Partition_Limit": 0, "00:00:00": 0, "": 0, "-": 0, "1:2": 0, "a-00:00:01": 0, "-1-00:00:01": 0} {
		if got := parseTimeLimit(text); (got == nil) != (want == 0) || got != nil && *got != want {
			t.Errorf("%q is %v, want %g", text, got, want)
		}
	}
	for text, want := range map[string]float64{"cpu=4,mem=16G,node=1": 16 << 30, "mem=4000M": 4000 << 20,
		"mem=1.5T": 1.5 * (1 << 40), "mem=512": 512 << 20, "cpu=4": 0, "mem=0": 0, "mem=NaN": 0, "mem=1e300P": 0, "": 0} {
		if got := parseMemory(text); (got == nil) != (want == 0) || got != nil && *got != want {
			t.Errorf("%q is %v, want %g", text, got, want)
		}
	}
	for text, want := range map[string]float64{"1": 1, "953674316407": 953674316407, "1000000000000": 1e12, "1T": 1 << 40,
		"2.5t": 2.5 * (1 << 40), "1000000000K": 1024e9, "953675M": 953675 << 20, "2048G": 2 << 40, "7P": 7 << 50,
		"5000000000000000": 5e15, "0.5E": 1 << 59, "1E": 0, "0": 0, "K": 0, "": 0, "-1G": 0, "1KK": 0, "Inf": 0,
		"nan": 0} {
		if got := parseSize(text, 1); (got == nil) != (want == 0) || got != nil && *got != want {
			t.Errorf("%q is %v, want %g bytes", text, got, want)
		}
		use := "cpu=00:00:03,mem=" + text + ",vmem=9"
		if got := parseMemoryUse(use); (got == nil) != (want == 0) || got != nil && *got != want {
			t.Errorf("%q is %v, want %g bytes", use, got, want)
		}
	}
	for text, want := range map[string]float64{"1000000": 1e6 * (1 << 20), "1048576": 1 << 40, "3tb": 3 << 40,
		"4096GB": 4 << 40, "2P": 2 << 50} {
		if got := parseRequestedMemory(text); got == nil || *got != want {
			t.Errorf("--mem=%s is %v, want %g bytes", text, got, want)
		}
		one := parseScontrol([]byte("JobId=7 NumNodes=3 MinMemoryNode="+strings.TrimRight(text, "bB")+"\n"), 7)
		if one.MemoryBytes == nil || *one.MemoryBytes != 3*want {
			t.Errorf("3 nodes of %s have %v, want %g bytes", text, one.MemoryBytes, 3*want)
		}
	}
	d := parseScontrol([]byte("JobId=7 JobName=x TimeLimit=01:00:00 ReqTRES=cpu=1,mem=2G\n"), 7)
	if d.TimeLimitS == nil || *d.TimeLimitS != 3600 || d.MemoryBytes == nil || *d.MemoryBytes != 2<<30 {
		t.Errorf("%+v", d)
	}
}

func FuzzLimits(f *testing.F) {
	f.Add("1-02:03:04")
	f.Add("cpu=1,mem=16G")
	f.Fuzz(func(t *testing.T, s string) {
		for _, v := range []*float64{parseTimeLimit(s), parseMemory(s)} {
			if v != nil && !(*v > 0 && *v < 1e18+1) {
				t.Errorf("%q is %g", s, *v)
			}
		}
	})
}

// Slurm 22.05 gives a running job without a time limit one of a year; the end of that year is no time limit.
func TestEndOfNoLimit(t *testing.T) {
	const line = "JobId=1 UserId=u(1000) JobState=%s TimeLimit=%s StartTime=1790000000 EndTime=%d"
	for _, c := range []struct {
		state, limit string
		end          int64
		known        bool
	}{
		{"RUNNING", "365-00:00:00", 1790000000 + 365*86400, false},
		{"RUNNING", "365-00:00:00", 1790000000 + 366*86400, false}, // suspended for a day
		{"RUNNING", "00:01:00", 1790000060, true},
		{"COMPLETED", "UNLIMITED", 1790000060, true},
	} {
		d := parseScontrol(fmt.Appendf(nil, line, c.state, c.limit, c.end), 1)
		if (d.End != nil) != c.known || d.TimeLimitS != nil && c.limit != "00:01:00" {
			t.Errorf("%+v: end %v, limit %v", c, d.End, d.TimeLimitS)
		}
	}
	env := map[string]string{"SLURM_JOB_START_TIME": "1790000000", "SLURM_JOB_END_TIME": "1821536000"}
	if d := fromEnviron(env); d.End != nil {
		t.Errorf("end %v", *d.End)
	}
}
