package job

import (
	"math"

	"jobgait/analysis/anatomy"
	"jobgait/analysis/pattern"
	"jobgait/analysis/summary"
)

// melt is a LAMMPS melt on one CPU as it was measured: 134 cycles of 217 ms, of which
// 68.6 ms ran.
func melt() summary.Summary {
	s := steady(nemo())
	s.Key.JobID, s.Job.Name, s.Job.Executable, s.Job.NTasks, s.Job.NCPUs, s.Job.CPUsPerTask = 812360, "melt", "lmp",
		ptr(1), ptr(1), ptr(1)
	s.Nodes[0].BusyCPUs = ptr(0.32)
	s.Patterns = []pattern.Pattern{pat("A", .217, 13_400, .81, 1, "code:9f31c2aa04d7e611", "samples")}
	s.Patterns[0].MeanS = .217
	s.Patterns[0].Column = "code:9f31c2aa04d7e612"
	for i := range s.Phases {
		if s.Phases[i].Pattern == "B" {
			s.Phases[i].Pattern = "A"
		}
	}
	s.Code, s.CodeNode = meltCode(), "dahu-1"
	return s
}

// meltCode returns the functions of the melt, most of them active throughout the cycle.
func meltCode() *anatomy.Anatomy {
	const cycles, sampleS = 134, .001
	type part struct {
		f        anatomy.Function
		ms       float64
		from, to float64
	}
	lammps := "liblammps.so.0"
	parts := []part{{anatomy.Function{Library: lammps, Name: "PairLJCut::compute"}, 54.7, .05, 1},
		{anatomy.Function{Library: lammps, Name: "NPairHalfBinAtomonlyNewton::build"}, 10.5, 0, .13},
		{anatomy.Function{Library: lammps, Name: "FixNVE::initial_integrate"}, .6, 0, 1},
		{anatomy.Function{Library: anatomy.KernelCode}, .6, 0, 1},
		{anatomy.Function{Library: lammps, Name: "AtomVec::unpack_reverse"}, .5, 0, 1},
		{anatomy.Function{Library: "libmpi.so.40", Start: 0x4f20}, .25, .9, 1},
		{anatomy.Function{Library: "libmpi.so.40", Start: 0x5f20}, .2, .9, 1},
		{anatomy.Function{Library: "libm.so.6", Name: "__ieee754_pow_fma"}, .4, 0, .5},
		{anatomy.Function{Library: "libc.so.6", Name: "__memset_avx512_unaligned_erms"}, .1, 0, 1},
		{anatomy.Function{Library: "libc.so.6", Name: "malloc"}, .05, 0, 1}}
	c := anatomy.Cycle{Pattern: "A", Count: cycles}
	classes, libraries := map[string]int{}, map[string]int{}
	for _, p := range parts {
		c.BusyS += p.ms / 1e3 * cycles
	}
	for _, p := range parts {
		seconds := p.ms / 1e3
		share := seconds * cycles / c.BusyS
		within := make([]float64, anatomy.Bins)
		for i := range within {
			at := (float64(i) + .5) / anatomy.Bins
			if at >= p.from && at < p.to {
				within[i] = seconds / (p.to - p.from) / anatomy.Bins * (1 + .3*math.Sin(float64(i*7)))
			}
		}
		f := anatomy.Share{Function: p.f, Share: share, Seconds: seconds * cycles, CycleS: &seconds, Lo: ptr(seconds * .98),
			Hi: ptr(seconds * 1.02), Within: within}
		c.Functions = append(c.Functions, f)
		c.Classes = joinPart(c.Classes, classes, string(anatomy.ClassOf(p.f.Library)), f, within)
		c.Libraries = joinPart(c.Libraries, libraries, p.f.Library, f, nil)
		if p.f.Name == "" && p.f.Library != anatomy.KernelCode {
			c.UnnamedShare += share
		}
	}
	c.Functions, c.Others = c.Functions[:8],
		&anatomy.Others{Count: 38, Share: c.Functions[8].Share + c.Functions[9].Share, Seconds: .15 / 1e3 * cycles,
			CycleS: ptr(.15 / 1e3)}
	return &anatomy.Anatomy{Samples: int64(c.BusyS / sampleS), Run: c.Split, Cycles: []anatomy.Cycle{c},
		Pages: []anatomy.PageOf{{Column: "code:9f31c2aa04d7e611", Function: parts[0].f, Share: .93},
			{Column: "code:9f31c2aa04d7e612", Function: parts[1].f, Share: .98}}}
}

func joinPart(list []anatomy.Part, at map[string]int, name string, f anatomy.Share, within []float64) []anatomy.Part {
	i, ok := at[name]
	if !ok {
		i, at[name] = len(list), len(list)
		list = append(list, anatomy.Part{Name: name, CycleS: ptr(0.0)})
		if within != nil {
			list[i].Within = make([]float64, len(within))
		}
	}
	list[i].Share += f.Share
	list[i].Seconds += f.Seconds
	*list[i].CycleS += *f.CycleS
	for k := range list[i].Within {
		list[i].Within[k] += within[k]
	}
	return list
}

// unbound is a run without cycles whose libraries alone are known.
func unbound() summary.Summary {
	s := flat("no_valley", "no period: no stretch of time resembles the one before it", 2.4)
	a := meltCode().WithoutFunctions()
	a.Run.Classes = a.Cycles[0].Classes
	for i := range a.Run.Classes {
		a.Run.Classes[i].Within, a.Run.Classes[i].CycleS = nil, nil
	}
	a.Cycles = []anatomy.Cycle{}
	s.Key.JobID, s.Code, s.CodeNode = 812361, &a, "dahu-1"
	return s
}
