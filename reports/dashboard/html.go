package dashboard

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"

	"jobgait/reports/change"
	"jobgait/reports/html"
)

//go:embed page.html
var pageHTML string

//go:embed site.html
var siteHTML string

//go:embed page.css
var pageCSS string

//go:embed site.css
var siteCSS string

// style is the look of the report's page, of timelines, and of what is only here.
func style(in Contents) string {
	css := html.Style() + change.Style() + pageCSS
	if in.Site != nil {
		css += siteCSS
	}
	return css
}

// HTML writes the page, with as much detail as its limit of bytes allows.
func HTML(w io.Writer, in Contents) error {
	t, err := parsed()
	if err != nil {
		return fmt.Errorf("parse the dashboard's page: %w", err)
	}
	var b bytes.Buffer
	for _, d := range steps[firstStep(len(in.Report.Series)):] {
		b.Reset()
		b.WriteString(html.Comment("jobgait dashboard", "jobgait "+in.Version, " `jobgait changes` prints a text."))
		if err := t.Execute(&b, newView(in, d)); err != nil {
			return fmt.Errorf("fill the dashboard: %w", err)
		}
		if b.Len() <= in.Limits.Bytes {
			break
		}
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("write the dashboard: %w", err)
	}
	return nil
}

func parsed() (*template.Template, error) {
	args := func(list ...string) []string { return list }
	t, err := html.Parse("dashboard", pageHTML, template.FuncMap{"args": args})
	if err == nil {
		_, err = t.New("of a site").Parse(siteHTML)
	}
	return t, err
}

// MostDrawn is how many histories may fit the page if each is as small as it can be:
// of five runs without a change 2.4 KB.
const MostDrawn = 250

// firstStep spares a page of many histories the steps that cannot fit: a
// history with its curves and tooltips has 10 KB and more.
func firstStep(histories int) int {
	const many = 100
	if histories <= many {
		return 0
	}
	return slices.IndexFunc(steps[:], func(d detail) bool {
		return d.curves == noCurves && (d.histories != all || histories <= MostDrawn)
	})
}
