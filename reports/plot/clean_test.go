package plot

import (
	"strings"
	"testing"
)

// Pictures of this package stay as they are; what could load, link or run something is refused, and text stays text.
func TestCleanSVG(t *testing.T) {
	own := Meter("value", 1, 2, "a < b & c") + Strip("value", []float64{1, 2}, "x") + Swatch("value")
	for _, picture := range strings.SplitAfter(own, "</svg>") {
		if picture == "" {
			continue
		}
		got, err := CleanSVG(picture)
		if err != nil || !strings.Contains(got, "<rect") {
			t.Errorf("%s: %q, %v", picture, got, err)
		}
		if again, err := CleanSVG(got); err != nil || again != got {
			t.Errorf("cleaned twice: %q, %v", again, err)
		}
	}
	for _, bad := range []string{
		"", "text", "<p/>", "<svg/><svg/>", "<svg>", "<svg><script>alert(1)</script></svg>", `<svg onload="alert(1)"/>`,
		`<svg><a href="x">y</a></svg>`, `<svg><style>*{}</style></svg>`, `<svg><path style="x"/></svg>`,
		`<svg><foreignObject/></svg>`, `<svg><use xlink:href="#x"/></svg>`, "<svg><!-- x --></svg>", "<!DOCTYPE svg><svg/>",
	} {
		if got, err := CleanSVG(bad); err == nil {
			t.Errorf("%s: %q", bad, got)
		}
	}
	got, err := CleanSVG(`<svg><title><![CDATA[ > <script>alert(1)</script>]]></title></svg>`)
	if err != nil || strings.Contains(got, "<script") {
		t.Errorf("%q, %v", got, err)
	}
}

func FuzzCleanSVG(f *testing.F) {
	f.Add(Swatch("value"))
	f.Add(`<svg><title><![CDATA[<]]></title></svg>`)
	f.Fuzz(func(t *testing.T, picture string) {
		got, err := CleanSVG(picture)
		if err != nil {
			return
		}
		if again, err := CleanSVG(got); err != nil || again != got || strings.Contains(got, "<script") {
			t.Errorf("%q, then %q, %v", got, again, err)
		}
	})
}
