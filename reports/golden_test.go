package reports

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares got with a file of testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs from what it was; if that is right, run with -update.\ngot:\n%s", path, got)
	}
}

func TestTextGolden(t *testing.T) {
	for _, run := range runs() {
		t.Run(run.name, func(t *testing.T) {
			var b bytes.Buffer
			if err := Text(&b, New(run.s, run.past, options())); err != nil {
				t.Fatal(err)
			}
			golden(t, run.name+".txt", b.Bytes())
		})
	}
}

func TestASCIIGolden(t *testing.T) {
	o := options()
	o.ASCII = true
	var b bytes.Buffer
	if err := Text(&b, New(nemo(), past(24), o)); err != nil {
		t.Fatal(err)
	}
	for i, c := range b.Bytes() {
		if c >= 0x80 {
			t.Fatalf("byte %d is %#x: not ASCII", i, c)
		}
	}
	golden(t, "ascii.txt", b.Bytes())
}
