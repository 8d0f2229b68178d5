package reports

import (
	"slices"

	"jobgait/analysis/pattern"
	"jobgait/analysis/summary"
)

// Names in records come from other machines: they are cleaned like text of users.

func cleanLoops(in []summary.Loop) []summary.Loop {
	out := slices.Clone(in)
	for i, l := range out {
		out[i].Pattern = Clean(l.Pattern)
		if l.Activity != nil {
			a := *l.Activity
			a.Column, a.Unit = Clean(a.Column), Clean(a.Unit)
			out[i].Activity = &a
		}
		if l.Drift != nil {
			d := *l.Drift
			d.Like = cleanAll(d.Like)
			out[i].Drift = &d
		}
	}
	return out
}

func cleanMacros(in []pattern.Macro) []pattern.Macro {
	out := slices.Clone(in)
	for i := range out {
		out[i].Of = cleanAll(out[i].Of)
	}
	return out
}

func cleanAgreement(in *summary.Agreement) *summary.Agreement {
	if in == nil {
		return nil
	}
	out := *in
	out.Column, out.List = Clean(in.Column), slices.Clone(in.List)
	for i := range out.List {
		out.List[i].Node = Clean(out.List[i].Node)
	}
	return &out
}

func cleanAll(in []string) []string {
	out := slices.Clone(in)
	for i := range out {
		out[i] = Clean(out[i])
	}
	return out
}
