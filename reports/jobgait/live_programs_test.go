package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"jobgait/analysis/run"
)

// TestLivePrograms runs a shell that starts 40 processes of a C program, one after the other: the report has a line
// for the program, with most of them counted.
func TestLivePrograms(t *testing.T) {
	sampled(t)
	b := newBox(t)
	source := "#include <time.h>\nint main(void) { while (clock() < CLOCKS_PER_SEC / 40) ; return 0; }\n"
	if err := os.WriteFile(filepath.Join(b.work, "part.c"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	b.shell("gcc -O1 -o part part.c")
	if r := end(t, b.command("run", "--", "sh", "-c", "for i in $(seq 40); do ./part; done")); r.status != 0 {
		t.Fatalf("%s%s", r.out, r.complaint)
	}
	if b.known().Lost {
		t.Skip("this machine is so busy that the child did not come back in time")
	}
	var report struct{ Programs []run.Program }
	r := end(t, b.command("show", "--last", "--json"))
	if err := json.Unmarshal([]byte(r.out), &report); err != nil {
		t.Fatalf("%v in %s", err, r.out)
	}
	for _, p := range report.Programs {
		if p.Name == "part" {
			if p.Started < 36 || p.Started > 40 || p.Share < 0.8 || p.LastS <= p.FirstS {
				t.Errorf("40 processes of one program: %+v", p)
			}
			return
		}
	}
	t.Errorf("no line for the program: %+v", report.Programs)
}
