package live

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/job"
	"jobgait/analysis/tracker"
)

func some(v float64) *float64 { return &v }

func TestWriteReadRoundTrip(t *testing.T) {
	dir := t.TempDir()
	p, err := MakeLocation(filepath.Join(dir, "live"), os.Getuid(), "run1")
	if err != nil {
		t.Fatal(err)
	}
	self, err := job.Self()
	if err != nil {
		t.Fatal(err)
	}
	for cycles := range int64(3) {
		s := State{Schema: Schema, JobID: 7, Node: "n1", At: time.Now().UTC(), State: tracker.InCycle, PeriodS: some(0.23),
			Cycles: cycles, Agent: self}
		if err := p.Write(s); err != nil {
			t.Fatal(err)
		}
		got, err := Read(p.Path())
		if err != nil || got.Cycles != cycles || *got.PeriodS != 0.23 || !got.Alive() {
			t.Fatalf("%+v, %v", got, err)
		}
	}
	files, err := os.ReadDir(filepath.Dir(p.Path()))
	if err != nil || len(files) != 1 {
		t.Errorf("%d files, %v", len(files), err)
	}
	st, err := os.Stat(p.Path())
	if err != nil || st.Mode().Perm() != 0o400 {
		t.Errorf("mode %v, %v", st.Mode(), err)
	}
	if st, err := os.Stat(filepath.Dir(p.Path())); err != nil || st.Mode().Perm() != 0o711 {
		t.Errorf("mode of the directory %v, %v", st.Mode(), err)
	}
}

func TestOldRunsAreSwept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "live")
	make := func(run string) *Location {
		p, err := MakeLocation(dir, os.Getuid(), run)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Write(State{Schema: Schema, At: time.Now()}); err != nil {
			t.Fatal(err)
		}
		return p
	}
	self, err := job.Self()
	if err != nil {
		t.Fatal(err)
	}
	old, alive := make("old"), make("alive")
	if err := alive.Claim(self); err != nil {
		t.Fatal(err)
	}
	for _, p := range []*Location{old, alive} {
		if err := os.Chtimes(filepath.Dir(p.Path()), time.Time{}, time.Now().Add(-2*keepEnded)); err != nil {
			t.Fatal(err)
		}
	}
	make("new")
	runs, err := Runs(dir, os.Getuid())
	if err != nil || strings.Join(runs, " ") != "alive new" {
		t.Errorf("%v, %v", runs, err)
	}
}

func TestHostileFilesAreRefused(t *testing.T) {
	for _, text := range []string{
		"", "{", "[]", `{"schema":"x"}`,
		`{"schema":"jobgait.live/1","at":"2026-01-01T00:00:00Z","elapsed_s":-1}`,
		`{"schema":"jobgait.live/1","at":"2026-01-01T00:00:00Z","period_s":1e300}`,
		`{"schema":"jobgait.live/1","at":"9999-01-01T00:00:00Z"}`,
		`{"schema":"jobgait.live/1","at":"2026-01-01T00:00:00Z","cycles":-5}`,
		`{"schema":"jobgait.live/1","at":"2026-01-01T00:00:00Z","recent_s":[1,-2]}`,
		`{"schema":"jobgait.live/1","at":"2026-01-01T00:00:00Z","first_cycle":"9999-01-01T00:00:00Z"}`,
		`{"schema":"jobgait.live/1","at":"2026-01-01T00:00:00Z","recent":[{"n":1,"boundary":"2026-01-01T00:00:00Z",` +
			`"residual":-1}]}`,
		`{"schema":"jobgait.live/1","at":"2026-01-01T00:00:00Z","low":[{"offset_s":-1}]}`,
		`{"schema":"jobgait.live/1","at":"2026-01-01T00:00:00Z","low":[{"last_began":"9999-01-01T00:00:00Z"}]}`,
		`{"schema":"jobgait.live/1","at":"2026-01-01T00:00:00Z","limit_at":"0001-01-01T00:00:00Z"}`,
		`{"schema":"jobgait.live/1","at":"2026-01-01T00:00:00Z"}` + strings.Repeat(" ", maxBytes),
	} {
		if _, err := Decode([]byte(text)); err == nil {
			t.Errorf("%.60q was believed", text)
		} else if strings.ContainsAny(err.Error(), "\n\x1b") {
			t.Errorf("%q", err)
		}
	}
	fifo := filepath.Join(t.TempDir(), Name)
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(fifo); err == nil {
		t.Error("a pipe was read")
	}
	link := filepath.Join(t.TempDir(), Name)
	if err := os.Symlink("/etc/passwd", link); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(link); err == nil {
		t.Error("a link was followed")
	}
}

func FuzzDecode(f *testing.F) {
	now := time.Unix(1e9, 0)
	b, err := json.Marshal(State{Schema: Schema, At: now, State: tracker.Stalled, PeriodS: some(1),
		RecentS: []float64{1, 2},
		Stalled: &Stalled{Since: now, Doing: tracker.Sleeping}, Pace: &Pace{EndsAt: now, LimitAt: &now}, FirstCycle: &now,
		Recent: []EndedCycle{{5, now, 2, 0.1}}, LimitAt: &now, Job: Job{Name: "melt"}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte(`{"schema":"jobgait.live/1","node":"\u001b[2J"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := Decode(b)
		if err != nil {
			return
		}
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatalf("what was believed cannot be written: %v", err)
		}
		if strings.ContainsAny(s.Node+string(s.State)+s.Job.Name+s.Job.Cluster+s.Job.App+s.Job.Executable+s.Job.Script+
			s.Job.Size, "\x1b\n") || s.Pace != nil {
			t.Errorf("%q", text)
		}
	})
}
