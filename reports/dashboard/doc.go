// Package dashboard is the notebook of the Albany Land-Ice report as one page:
// what changed in the last days, each history with its levels, how histories
// compare, and behind a fold the curves that the report's method looks at.
// Judged histories and comparisons come in (model.go), HTML goes out (html.go), in
// the words of text.go. JSON of the same figures is that of `jobgait changes --json`.
//
// The page needs no server, no network and no script: application, shape and
// metric are picked by radio buttons that the style sheet reads, tooltips are
// those of SVG. Its content security policy allows its own style sheet, known
// by its hash, and nothing else; there is no href, since a notebook that shows
// the page in a frame would leave it.
//
// First come small pictures of the histories that want to be seen: what is slower
// now, the worst first, then what may be changing, what changed otherwise, and the
// rest. Each is the label of its application's button. The list of the last days
// has changes before what may be changing; slow last runs, of which a site of 400
// histories has twenty on any day, lie behind a fold.
//
// A page of a whole site has sections of its own, before the histories: what is slower
// since when by node hours lost, sick nodes, applications, waste and coverage. All but
// the nodes with which jobs take longer are answers of the history's catalogue, ten rows
// each, and the section names the question that has the rest.
//
// The page stays below a limit of bytes (500 KB): what does not fit is left out in
// a fixed order (curves, tooltips of old runs, comparisons, further metrics, histories
// that pass) and the page says so. Forty histories of 200 runs, 8 of the 20 that lead
// changed, are 440 KB: with the curves of those that changed, and tooltips of the newest
// 100 runs; of 120, 60 are drawn.
package dashboard
