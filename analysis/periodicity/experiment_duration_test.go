package periodicity_test

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"jobgait/analysis/internal/dtw"
	"jobgait/analysis/internal/robust"
	"jobgait/analysis/pattern"
	"jobgait/analysis/series"
)

// minutes are the durations of the paper's excerpts.
var minutes = [...]float64{1, 3, 5, 10, 15, 30, 45}

// duration prints the paper's Fig. 5 as numbers: the within-group sum of squares
// of the patterns of excerpts, relative to the instances of the whole profile,
// over that of the whole profile's own pattern. Excerpts begin at random places
// behind the first iteration.
func (o options) duration(w io.Writer, paths []string) error {
	if len(paths) != 1 {
		return errUsage
	}
	set, err := o.read(paths[0])
	if err != nil {
		return err
	}
	all, err := o.find(set)
	if err != nil {
		return err
	}
	ref, ok := largest(all)
	if !ok {
		return fmt.Errorf("%s: no pattern in the whole profile", paths[0])
	}
	group := items(set, ref.Period)
	var s dtw.Scratch
	whole := s.WGSS(group, ref.values, dtw.Full)
	fmt.Fprintf(w, "whole profile: period %.1f samples, %d instances, wgss %.4g\n", ref.PeriodSamples, len(ref.Instances),
		whole)
	fmt.Fprintf(w, "%8s %9s %10s %22s %8s %8s\n", "minutes", "excerpts", "instances", "wgss / that of whole", "lowest",
		"highest")
	rng := rand.New(rand.NewPCG(o.seed, 1))
	for _, m := range minutes {
		n := int(m * 60 / set.StepS)
		room := set.Len() - n - ref.Instances[0].First
		if room < 0 {
			break
		}
		var ratios []float64
		count, other := 0, 0
		for range o.excerpts {
			from := ref.Instances[0].First + rng.IntN(room+1)
			found, err := o.find(excerpt(set, from, n))
			if err != nil {
				return err
			}
			f, ok := largest(found)
			if !ok || math.Abs(f.PeriodSamples/ref.PeriodSamples-1) > 0.1 {
				other++ // none, or not the same periodicity
				continue
			}
			ratios = append(ratios, s.WGSS(group, inPhase(f.values, ref.values), dtw.Full)/whole)
			count += len(f.Instances)
		}
		mean, sd := robust.Mean(ratios)
		fmt.Fprintf(w, "%8g %9d %10.0f %13.3f +- %5.3f %8.3f %8.3f", m, len(ratios),
			float64(count)/float64(max(1, len(ratios))),
			mean, sd, robust.Quantile(ratios, 0), robust.Quantile(ratios, 1))
		if other > 0 {
			fmt.Fprintf(w, "  (%d without this periodicity)", other)
		}
		fmt.Fprintln(w)
	}
	return nil
}

// inPhase begins a pattern where the reference begins: instances of another
// excerpt may be cut at another place of the iteration.
func inPhase(values, ref []float64) []float64 {
	out := make([]float64, 0, len(values))
	for _, v := range pattern.AlignPhase(single(values), single(ref)) {
		out = append(out, float64(v))
	}
	return out
}

func single(x []float64) series.Values {
	out := make(series.Values, len(x))
	for i, v := range x {
		out[i] = float32(v)
	}
	return out
}

// excerpt is n samples of a set.
func excerpt(set series.Set, from, n int) series.Set {
	out := series.Set{StepS: set.StepS, StartS: set.StartS + float64(from)*set.StepS}
	for _, c := range set.Columns {
		c.Values = c.Values[from : from+n]
		out.Columns = append(out.Columns, c)
	}
	return out
}
