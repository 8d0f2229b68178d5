package job

import (
	"bytes"
	"testing"

	"jobgait/reports/pagetest"
)

func TestTextGolden(t *testing.T) {
	for _, run := range runs() {
		t.Run(run.name, func(t *testing.T) {
			var b bytes.Buffer
			if err := Text(&b, New(run.s, run.past, options())); err != nil {
				t.Fatal(err)
			}
			pagetest.Golden(t, run.name+".txt", b.Bytes())
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
	pagetest.Golden(t, "ascii.txt", b.Bytes())
}
