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

// style returns the page's CSS: that of reports, of timelines, and of the dashboard.
func style(in Contents) string {
	css := html.Style() + change.Style() + pageCSS
	if in.Site != nil {
		css += siteCSS
	}
	return css
}

// HTML writes the page with as much detail as the size limit allows. If even the least detail exceeds the
// limit, it writes that.
func HTML(w io.Writer, in Contents) error {
	t, err := parsed()
	if err != nil {
		return fmt.Errorf("internal error, please report it: parse the HTML template of the dashboard: %w", err)
	}
	var b bytes.Buffer
	for _, d := range steps[firstStep(len(in.Report.Series)):] {
		b.Reset()
		b.WriteString(html.Comment("jobgait dashboard", "jobgait "+in.Version, " `jobgait changes` prints a text."))
		if err := t.Execute(&b, newView(in, d)); err != nil {
			return fmt.Errorf("internal error, please report it: fill the HTML template of the dashboard: %w", err)
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

// parsed returns the parsed templates of the page.
func parsed() (*template.Template, error) {
	args := func(list ...string) []string { return list }
	t, err := html.Parse("dashboard", pageHTML, template.FuncMap{"args": args})
	if err == nil {
		_, err = t.New("of a site").Parse(siteHTML)
	}
	return t, err
}

// MostDrawn is the largest number of histories that fit into the page at their smallest size: a history of five
// runs without a change takes 2.4 KB.
const MostDrawn = 250

// firstStep returns the first level of detail to try. It skips the levels that cannot fit for many histories: a
// history with its curves and tooltips takes 10 KB or more.
func firstStep(histories int) int {
	const many = 100
	if histories <= many {
		return 0
	}
	return slices.IndexFunc(steps[:], func(d detail) bool {
		return d.curves == noCurves && (d.histories != noLimit || histories <= MostDrawn)
	})
}
