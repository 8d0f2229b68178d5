package slurm

import "testing"

func TestLimits(t *testing.T) {
	for text, want := range map[string]float64{"1-02:03:04": 93784, "00:30:00": 1800, "100:00:00": 360000, "UNLIMITED": 0,
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
