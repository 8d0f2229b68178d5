package job

import (
	"cmp"
	"html/template"
	"strings"

	"jobgait/reports/html"
	"jobgait/reports/text"
)

// pageFuncs returns the functions that page.html calls: they give the report in words, rows and pictures,
// mostly by the functions that also make the text.
func (r Report) pageFuncs() template.FuncMap {
	notes, moreNotes := r.listedNotes()
	return template.FuncMap{
		"head": func() html.Head {
			return html.NewHead(r.Job.label()+" "+string(r.Job.Name), r.Generator, r.otherRuns.style(), html.Script())
		},
		"js": func() template.JS { return template.JS(html.Script()) },

		"over":    func() string { return strings.Join(append([]string{r.Job.label()}, r.whoWhere()...), " · ") },
		"heading": func() string { return cmp.Or(string(r.Job.Name), r.Job.label()) },
		"span":    r.span, "ended": r.ended, "failed": r.failed,
		"elapsed": r.Job.elapsed, "size": r.Job.size, "short": r.headStatements, "headline": r.headline,
		"brief":     r.brief,
		"stackTree": r.stackTree, "stackRemark": r.stackRemark,

		"rhythmRemark": r.Rhythm.remark, "why": r.whyLines, "timeline": r.timelineCharts, "folded": r.foldedCharts,
		"foldedWords": r.foldedWords, "samples": r.samples,
		"smoothed": r.smoothed,
		"minute":   r.minuteCharts, "patterns": r.Rhythm.patternRows, "foundIn": r.Rhythm.foundIn, "nested": r.Rhythm.nested,
		"shapes": r.shapeCharts, "examples": r.exampleCharts, "phases": r.phaseRows,

		"programs": r.pageProgramRows, "programsRemark": r.programsRemark,

		"codeRemark": r.codeRemark, "codeChart": r.codeChart, "codeRows": r.codeRows,
		"codeKey":    func() []text.Row { return r.Code.key() },
		"codeNoise":  func() string { return r.Code.noise() },
		"gpusRemark": r.gpusRemark, "gpus": r.gpuRows, "gpuTexts": r.gpuTexts,

		"drift": r.Rhythm.drift, "driftRemark": r.driftRemark, "driftTexts": r.driftTexts, "driftChart": r.driftChart,
		"driftSays": func() bool { return r.Rhythm.drift().worthPrinting(r.Job.ElapsedS) },
		"lowRemark": func() string { return lowRemark }, "low": r.lowTexts,

		"nodesRemark": r.Nodes.remark, "nodesText": r.Nodes.summary, "nodeLanes": r.nodeLaneChart,
		"manyNodes": func() bool { return r.Nodes.Total > listedNodes },
		"nodes":     r.nodeRows,
		"agreement": r.Nodes.Agreement.texts,

		"countersRemark": func() string { return countersRemark }, "counters": r.counterRows, "ipcText": r.ipcText,
		"earlierRemark": r.earlierRemark, "history": r.historyCharts, "usual": r.Earlier.usualRangeText, "runs": r.runRows,

		"findings": r.otherRuns.printed, "facts": r.facts, "words": Words,
		"notes":     func() []Note { return notes },
		"moreNotes": func() string { return moreNotes },
	}
}

// smoothed returns a remark where the line of the timeline is averaged over whole cycles.
func (r Report) smoothed() string {
	if r.Rhythm.Periodic && r.Rhythm.Timeline.StepS >= r.Rhythm.period()/4 {
		return ", in loops over whole cycles"
	}
	return ""
}
