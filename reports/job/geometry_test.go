package job

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"jobgait/analysis/summary"
	"jobgait/reports/pagetest"
)

// No browser runs here: the form of a picture is checked by its numbers.

// shape is a picture's frame and what is drawn in it.
type shape struct {
	height   float64
	inner    float64 // height of the part that is stretched
	class, d []string
	texts    int
}

// lookAt reads a picture and fails if it draws outside its frame.
func lookAt(t *testing.T, name, svg string) shape {
	t.Helper()
	var s shape
	d := xml.NewDecoder(strings.NewReader(svg))
	at := func(e xml.StartElement, key string) string {
		for _, a := range e.Attr {
			if a.Name.Local == key {
				return a.Value
			}
		}
		return ""
	}
	within := func(what, value string, lo, hi float64) {
		v, err := strconv.ParseFloat(strings.TrimSuffix(value, "%"), 64)
		if err != nil || math.IsNaN(v) || v < lo || v > hi {
			t.Errorf("%s: %s at %q, not in %g .. %g", name, what, value, lo, hi)
		}
	}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return s
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		switch e.Name.Local {
		case "svg":
			h, err := strconv.ParseFloat(at(e, "height"), 64)
			if err != nil {
				t.Fatalf("%s: height %q", name, at(e, "height"))
			}
			if s.height == 0 {
				s.height = h
			} else {
				s.inner = h
			}
		case "text":
			s.texts++
			x := 100.0
			if !strings.HasSuffix(at(e, "x"), "%") {
				x = innerPixels
			}
			if at(e, "class") == "tick y" { // it is in the gutter of 44 pixels
				label, _ := d.Token()
				if text, ok := label.(xml.CharData); !ok || len([]rune(string(text))) > 7 {
					t.Errorf("%s: label %q is too long for the gutter", name, label)
				}
			} else {
				within("text", at(e, "x"), 0, x)
			}
			within("text", at(e, "y"), 8, s.height) // its foot: letters are above it
		case "circle":
			within("point", at(e, "cx"), 0, 100)
			within("point", at(e, "cy"), 0, s.height)
		case "path":
			s.class, s.d = append(s.class, at(e, "class")), append(s.d, at(e, "d"))
		}
	}
}

// innerPixels is how wide the stretched part of a picture is, about as many as on a screen.
const innerPixels = 1000

// points are those of a path of M and L.
func points(d string) (out [][2]float64) {
	for _, m := range regexp.MustCompile(`[ML](-?[\d.]+),(-?[\d.]+)`).FindAllStringSubmatch(d, -1) {
		x, _ := strconv.ParseFloat(m[1], 64)
		y, _ := strconv.ParseFloat(m[2], 64)
		out = append(out, [2]float64{x, y})
	}
	return out
}

// Text and points of every picture lie in their frames, lines in theirs, and none has more
// points than two a pixel.
func TestPicturesStayInTheirFrames(t *testing.T) {
	for _, run := range runs() {
		for _, svg := range pagetest.Pictures(pageOf(t, run.s, run.past)) {
			s := lookAt(t, run.name, svg)
			for i, d := range s.d {
				p := points(d)
				if len(p) > 4*innerPixels { // a band has two sides
					t.Errorf("%s: %s has %d points", run.name, s.class[i], len(p))
				}
				for _, at := range p {
					if at[0] < -1 || at[0] > innerPixels+1 || at[1] < -1 || at[1] > s.inner+1 {
						t.Errorf("%s: %s goes to %v of %d x %g", run.name, s.class[i], at, innerPixels, s.inner)
						break
					}
				}
			}
		}
	}
}

// The page of a run of an hour with a cycle of 6.2 s is not a solid block: in its typical minute each cycle is
// visible, wide enough to be distinguished from the next.
func TestHourIsNoSolidBlock(t *testing.T) {
	r := New(nemo(), nil, options())
	pictures := r.minuteCharts()
	if len(pictures) != 1 {
		t.Fatalf("%d pictures of a minute", len(pictures))
	}
	s := lookAt(t, "minute", string(pictures[0].SVG))
	falls, last := 0, 0.0
	for i, class := range s.class {
		if class != "line" {
			continue
		}
		p := points(s.d[i])
		for k := 1; k < len(p); k++ {
			if p[k-1][1] < s.inner/2 && p[k][1] >= s.inner/2 { // down on the screen
				if falls > 0 && p[k][0]-last < 20 {
					t.Errorf("cycles are %g pixels apart", p[k][0]-last)
				}
				falls, last = falls+1, p[k][0]
			}
		}
	}
	if falls < 9 || falls > 10 { // 60 s of 6.2 s
		t.Errorf("%d cycles are seen in a minute", falls)
	}
	if r.driftChart() == nil {
		t.Error("the length of cycles over the run is not drawn")
	}
	if page := pageOf(t, nemo(), nil); !strings.Contains(page, "A typical stretch") ||
		!strings.Contains(page, "Length of one cycle") {
		t.Error("the page lacks them")
	}
}

// The page shows the resources used, with a bar that is full at the amount given.
func TestPageHasMeters(t *testing.T) {
	r := New(sound(), past(24), options())
	list := r.gauges()
	page := pageOf(t, sound(), past(24))
	if len(list) != 5 {
		t.Fatalf("%+v", list)
	}
	for _, g := range list {
		if bar := g.Art() != ""; bar != (g.Name != "I/O" && g.Name != "USUAL") ||
			bar && !strings.Contains(page, string(g.Art())) {
			t.Errorf("%s: %q", g.Name, g.Art())
		}
	}
	if want := `width="95.8%"`; !strings.Contains(string(list[0].Art()), want) { // 61.3 of 64
		t.Errorf("no %s in %s", want, list[0].Art())
	}
	if g := New(fourNodes(), nil, options()).gauges()[0]; g.Art() != "" || g.Text != "101 CPUs busy on 3 of 4 nodes" {
		t.Errorf("with a node that is not here: %+v", g)
	}
	var none summary.Summary
	if got := New(none, nil, options()).gauges(); len(got) != 0 {
		t.Errorf("of nothing: %+v", got)
	}
}
