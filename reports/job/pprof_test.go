package job

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"jobgait/analysis/summary"
)

// fieldsOf takes a message apart.
func fieldsOf(t *testing.T, b []byte, handle func(field int, number uint64, bytes []byte)) {
	t.Helper()
	for len(b) > 0 {
		key, n := binary.Uvarint(b)
		v, k := binary.Uvarint(b[max(0, n):])
		if n <= 0 || k <= 0 {
			t.Fatal("no protocol buffer")
		}
		b = b[n+k:]
		if key&7 == 2 {
			handle(int(key>>3), 0, b[:v])
			b = b[v:]
			continue
		}
		handle(int(key>>3), v, nil)
	}
}

// All CPU time is in the samples, and those of a pattern have bins.
func TestPprof(t *testing.T) {
	s := melt()
	var b bytes.Buffer
	if err := Pprof(&b, s); err != nil {
		t.Fatal(err)
	}
	zip, err := gzip.NewReader(&b)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(zip)
	if err != nil {
		t.Fatal(err)
	}
	ns, samples, binned := 0.0, 0, 0
	var strings []string
	fieldsOf(t, raw, func(field int, _ uint64, b []byte) {
		switch field {
		case 6:
			strings = append(strings, string(b))
		case 2:
			samples++
			var values []uint64
			labels := 0
			fieldsOf(t, b, func(field int, v uint64, _ []byte) {
				switch field {
				case 2:
					values = append(values, v)
				case 3:
					labels++
				}
			})
			ns += float64(values[1])
			if labels == 2 {
				binned++
			}
		}
	})
	if want := s.Code.Cycles[0].BusyS * 1e9; math.Abs(ns-want) > float64(samples) {
		t.Errorf("%g ns of %g", ns, want)
	}
	if binned < 100 || len(strings) == 0 || strings[0] != "" {
		t.Errorf("%d of %d samples have bins", binned, samples)
	}
	if err := Pprof(&b, summary.Summary{}); err == nil {
		t.Error("a run of unknown code has a profile")
	}
}

// go tool pprof opens it. It is built at its first use, which may take a minute: make -C packaging soak does
// this.
func TestPprofIsOpened(t *testing.T) {
	if os.Getenv("JOBGAIT_SOAK") == "" {
		t.Skip("JOBGAIT_SOAK is not set: the tool may have to be built")
	}
	tool, err := exec.LookPath("go")
	if err != nil || exec.Command(tool, "tool", "-n", "pprof").Run() != nil {
		t.Skip("no go tool pprof")
	}
	path := filepath.Join(t.TempDir(), "x.pb.gz")
	var b bytes.Buffer
	if err := Pprof(&b, melt()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ args, want []string }{
		{[]string{"-top"}, []string{"PairLJCut::compute", "NPairHalfBinAtomonlyNewton::build", "[kernel]"}},
		{[]string{"-tags"}, []string{"phase", "bin"}},
		{[]string{"-top", "-tagfocus=phase=A", "-sample_index=samples"}, []string{"PairLJCut::compute"}},
	} {
		out, err := exec.Command(tool, append(append([]string{"tool", "pprof"}, c.args...), path)...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", c.args, err, out)
		}
		for _, want := range c.want {
			if !strings.Contains(string(out), want) {
				t.Errorf("%v has no %s:\n%s", c.args, want, out)
			}
		}
	}
}
