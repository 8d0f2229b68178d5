package finish

import (
	"slices"
	"testing"

	"jobgait/agent/job"
	"jobgait/analysis/summary"
)

func TestReportsAvoidTemporaryDirectories(t *testing.T) {
	for _, c := range []struct {
		out, work string
		want      []string
	}{
		{"/home/a/out/x.txt", "/home/a", []string{"/home/a/out", "/home/a"}},
		{"/tmp/x.txt", "/home/a", []string{"/home/a", "/tmp"}},
		{"/dev/shm/a/x.txt", "/home/a", []string{"/home/a", "/dev/shm/a"}},
		{"/tmpfiles/x.txt", "/home/a", []string{"/tmpfiles", "/home/a"}},
		{"/dev/null", "/home/a", []string{"/home/a"}},
		{"/tmp/x.txt", "", []string{"/tmp"}},
	} {
		var s summary.Summary
		s.Job.StdOut, s.Job.WorkDir = c.out, c.work
		if got := reportDirs(job.Run{}, s); !slices.Equal(got, c.want) {
			t.Errorf("%s in %s: %v, want %v", c.out, c.work, got, c.want)
		}
	}
}
