package slurm

import (
	"reflect"
	"slices"
	"testing"

	"jobgait/agent/job"
	"jobgait/analysis/run"
)

func TestParseStepJob(t *testing.T) {
	out := "12 1000 100 n[1-2]\n13 1001 100 n7\n14 x 100 n1\n15 1 1 n[3\n"
	got, err := parseStepJob(out, 12)
	want := job.StepLaunch{Nodes: []string{"n1", "n2"}, UID: 1000, GID: 100}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	for _, id := range []run.JobID{1, 14, 15} {
		if got, err := parseStepJob(out, id); err == nil {
			t.Errorf("job %d: %+v", id, got)
		}
	}
}

func FuzzParseStepJob(f *testing.F) {
	f.Add("12 1000 100 n[1-2]\n")
	f.Fuzz(func(t *testing.T, out string) {
		if got, err := parseStepJob(out, 12); err == nil && len(got.Nodes) > job.MaxNodes {
			t.Errorf("%d nodes", len(got.Nodes))
		}
	})
}

// The variables of a job's script are options of srun; those that say where Slurm is stay.
func TestClientEnviron(t *testing.T) {
	got := clientEnviron([]string{"A=1", "SLURM_NTASKS=7", "SLURM_CONF=/etc/x", "SRUN_DEBUG=1", "SLURMD_NODENAME=n1"})
	if want := []string{"A=1", "SLURM_CONF=/etc/x"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
