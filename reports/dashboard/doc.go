// Package dashboard writes one HTML page like the notebook of the Albany Land-Ice report: what changed in the
// last days, each history with its levels, how histories compare, and, in a collapsed section, the curves that
// the report's method uses. It takes judged histories and comparisons (model.go) and writes HTML (html.go) with
// the sentences of text.go. `jobgait changes --json` writes the same numbers as JSON.
//
// The page needs no server, no network and no script: application, shape and metric are chosen by radio buttons
// that the style sheet evaluates, and the tooltips are those of SVG. Its content security policy allows only
// its own style sheet, identified by its hash. The only links are those from a run to its report, relative to the page
// and opened in a new window, because a notebook may show the page in a frame.
//
// First come small pictures of the most important histories: those that are slower now, the worst first, then
// those that may be changing, those that changed otherwise, and the rest. Each picture is the label of its
// application's button. The list of the last days has changes first, then possible changes; slow last runs, of
// which a site of 400 histories has twenty on any day, are in a collapsed section. Then come the failed runs and the
// newest runs, with how they ended.
//
// A page of a whole site has further sections before the histories: what is slower since when, by node hours
// lost; sick nodes; applications; waste; coverage. Except for the nodes on which jobs take longer, these are
// results of queries of the history's catalogue, ten rows each; the section names the query that returns all
// rows.
//
// The page stays below a size limit (500 KB): parts that do not fit are left out in a fixed order (curves,
// tooltips of old runs, comparisons, further metrics, histories without a change) and the page says so. Forty
// histories of 200 runs, 8 of the 20 that lead changed, are 440 KB: with the curves of those that changed, and
// tooltips of the newest 100 runs; of 120, 60 are drawn.
package dashboard
