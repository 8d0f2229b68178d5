package job

import (
	"strings"
	"testing"
)

func FuzzParseEnviron(f *testing.F) {
	f.Add([]byte("A=b\x00SLURM_JOB_ID=1\x00SLURM_X\x00SLURMD_NODENAME=n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		for name := range Variables(b, "SLURM_", "SLURMD_NODENAME=") {
			if !strings.HasPrefix(name, "SLURM_") && name != "SLURMD_NODENAME" {
				t.Fatalf("kept %q", name)
			}
		}
	})
}
