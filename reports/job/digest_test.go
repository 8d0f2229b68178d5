package job

import (
	"cmp"
	"encoding/base64"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"jobgait/analysis/finding"
)

func TestCommentOfTheAccounting(t *testing.T) {
	period, gpu := 0.4131234567, 0.123456789
	d := Digest{Ended: "COMPLETED", ElapsedS: 1234.5678901, BusyCPUs: &gpu, AllocatedCPUs: &period, PeriodS: &period,
		Cycles: 12345, Share: 0.912345678, Confidence: 0.87654321, GPUs: 4, GPUActive: &gpu,
		Finding: "The run used 1 of 4 CPUs.", Next: "#SBATCH --cpus-per-task=1", CostCoreS: &period, Report: "/home/a"}
	c, small, err := d.Comment()
	if err != nil || len(c) > maxComment || len(small) > maxComment || small != strings.ToLower(small) {
		t.Fatalf("%d and %d characters, %v", len(c), len(small), err)
	}
	for _, form := range []string{c, small} {
		if got, err := ParseComment(form); err != nil || !reflect.DeepEqual(got, d) {
			t.Errorf("%s: got %+v, %v", form[:4], got, err)
		}
	}
	// Texts that gzip does not shorten are cut until the comment fits.
	random := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 4000)
	for i := range noise {
		noise[i] = byte(33 + random.IntN(90))
	}
	d.Finding, d.Next, d.Ended = string(noise[:2000]), string(noise[2000:]), string(noise[1000:3000])
	if c, small, err := d.Comment(); err != nil || max(len(c), len(small)) > maxComment {
		t.Errorf("%d characters, %v", len(c), err)
	}
}

func FuzzParseComment(f *testing.F) {
	c, small, err := Digest{ElapsedS: 3, Finding: "x"}.Comment()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(c)
	f.Add(small)
	f.Add("JG1:")
	f.Add("JG1:" + base64.StdEncoding.EncodeToString([]byte("x")))
	f.Fuzz(func(t *testing.T, comment string) {
		d, err := ParseComment(comment)
		if err == nil && strings.ContainsAny(d.Line("job 1"), "\n\x1b\x00") {
			t.Errorf("%q becomes more than one line: %q", comment, d.Line("job 1"))
		}
	})
}

func TestLineOfADigest(t *testing.T) {
	busy, cpus, peak, period, cost := 3.9, 4.0, 2e9, 0.413, 61.0
	d := Digest{Ended: "exit code 0", ElapsedS: 61, BusyCPUs: &busy, AllocatedCPUs: &cpus, PeakBytes: &peak,
		PeriodS:    &period,
		Confidence: 0.7, Finding: "Memory was nearly full.", Next: "#SBATCH --mem=3G", CostCoreS: &cost,
		Report: "jobgait-7.txt"}
	want := "jobgait: job 7; exit code 0; 1:01; 3.90 of 4 CPUs busy; 2.00 GB of memory; cycle likely 413 ms; " +
		"Memory was nearly full. -> #SBATCH --mem=3G; cost 61 core seconds, 25.0 % of the run; report jobgait-7.txt"
	if got := d.Line("job 7"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := (Digest{Ended: "exit code 1", ElapsedS: 2}).Line("job 7"); got != "jobgait: job 7; exit code 1; 2.00 s" {
		t.Errorf("got %s", got)
	}
}

// The digest in the accounting is read by someone who has only that: it says what was found, what it cost, what to do
// and where to look.
func TestDigestOfAFinding(t *testing.T) {
	for _, c := range situations() {
		r := c.report()
		d := r.Digest()
		head := finding.Head(r.Findings)
		if len(head) == 0 {
			continue
		}
		if d.Finding != head[0].Text || d.Next != cmp.Or(head[0].Next, string(r.Next)) || d.Report == "" ||
			(d.CostText() == "") != (head[0].CostCoreS == nil) {
			t.Errorf("%s: %+v", c.name, d)
		}
		var b strings.Builder
		if err := DigestText(&b, "Job 7", d); err != nil {
			t.Fatal(err)
		}
		flat := strings.Join(strings.Fields(b.String()), " ")
		for _, part := range []string{"finding " + d.Finding, "cost " + d.CostText(), "next " + d.Next, "report " +
			d.Report} {
			if part = strings.Join(strings.Fields(part), " "); part != "cost" && part != "next" &&
				!strings.Contains(flat, part) {
				t.Errorf("%s: no %q in\n%s", c.name, part, b.String())
			}
		}
	}
}
