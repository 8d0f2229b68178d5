package periodicity

import "math"

// known is a period that has been found, with all its instances so far.
type known struct {
	t        template
	level    int
	in       []Instance
	distance float64      // of the fit that it was found by
	units    []occurrence // for their distance; places are those of the chunk
}

// stretch of samples [a, b).
type span struct{ a, b int }

// follow finds the occurrences of a known period in samples a to b, cuts them
// into instances at full rate, and returns the spans that they cover.
func (k *known) follow(p pyramid, a, b int, par Params) []span {
	if k.level >= len(p) {
		return nil
	}
	lv := p[k.level]
	lo := min(a>>k.level, lv.len())
	v := lv.slice(lo, min(b>>k.level, lv.len()))
	occ := k.runs(track(v, k.t, par), par)
	if len(occ) == 0 {
		return nil
	}
	for i := range occ {
		for q := range occ[i].at {
			occ[i].at[q] += lo
		}
	}
	k.units = append(k.units, occ...)
	edges := boundaries(p, k.level, occ, a, b)
	var out []span
	for _, at := range edges {
		s, e := at[0], at[1]
		for m := range k.t.periods {
			x, y := s+m*(e-s)/k.t.periods, s+(m+1)*(e-s)/k.t.periods
			k.in = append(k.in, Instance{First: x, Length: y - x})
		}
		if n := len(out); n > 0 && out[n-1].b == s {
			out[n-1].b = e
		} else {
			out = append(out, span{s, e})
		}
	}
	return out
}

// runs keeps the runs of consecutive occurrences that are worth it: one alone
// is not a period.
func (k *known) runs(occ []occurrence, par Params) []occurrence {
	var out []occurrence
	for i := 0; i < len(occ); {
		j := i + 1
		for j < len(occ) && occ[j].at[0] == occ[j-1].at[parts] {
			j++
		}
		d := distance(occ[i:j])
		gain := float64(j-i) * (1 - d/par.MaxDistance)
		if (j-i >= 2 || k.t.periods > 1) && gain >= 0.9 && d <= min(par.MeanDistance, k.distance+par.RunSlack) {
			out = append(out, occ[i:j]...)
		}
		i = j
	}
	return out
}

// improve takes template and length anew from all of the stretch.
func (k *known) improve(p pyramid, a, b int, par Params) {
	lv := p[k.level]
	v := lv.slice(min(a>>k.level, lv.len()), min(b>>k.level, lv.len()))
	occ := k.runs(track(v, k.t, par), par)
	if len(occ) < par.MinInstances {
		return
	}
	k.t = k.t.retime(v, occ)
	if occ = k.runs(track(v, k.t, par), par); len(occ) >= par.MinInstances {
		k.t = k.t.average(v, occ)
	}
}

// boundaries refines begin and end of every occurrence from the level of the
// template down to single samples, all in [a, b): at every level the mean of
// what surrounds the boundaries is matched at the places next to each. A
// boundary shared by two occurrences stays shared.
func boundaries(p pyramid, level int, occ []occurrence, a, b int) [][2]int {
	var marks []int
	index := make([][2]int, len(occ))
	for i, o := range occ {
		if i > 0 && occ[i-1].at[parts] == o.at[0] {
			index[i][0] = len(marks) - 1
		} else {
			marks = append(marks, o.at[0])
			index[i][0] = len(marks) - 1
		}
		marks = append(marks, o.at[parts])
		index[i][1] = len(marks) - 1
	}
	unit := occ[0].length()
	for l := level - 1; l >= 0; l-- {
		unit *= 2
		for i := range marks {
			marks[i] *= 2
		}
		sharpen(p[l], marks, unit/4)
	}
	out := make([][2]int, len(occ))
	prev := a
	for i := range marks {
		marks[i] = max(prev, min(marks[i], b))
		prev = marks[i]
	}
	for i, ix := range index {
		out[i] = [2]int{marks[ix[0]], marks[ix[1]]}
	}
	return out
}

// sharpen moves every mark by up to 2 samples to where v is most like the mean
// of h samples to both sides of the marks.
func sharpen(v vector, marks []int, h int) {
	const reach = 2
	n := v.len()
	mean := make([][]float32, len(v.c))
	for k, x := range v.c {
		mean[k] = make([]float32, 2*h)
		count := 0
		for _, m := range marks {
			if m-h < 0 || m+h > n {
				continue
			}
			count++
			for i := range mean[k] {
				mean[k][i] += x[m-h+i]
			}
		}
		for i := range mean[k] {
			mean[k][i] /= float32(max(1, count))
		}
	}
	for j, m := range marks {
		best, at := math.Inf(1), m
		for _, s := range [2*reach + 1]int{0, -1, 1, -2, 2} {
			if m+s-h < 0 || m+s+h > n {
				continue
			}
			d := 0.0
			for k, x := range v.c {
				for i, y := range x[m+s-h : m+s+h] {
					d += float64((y - mean[k][i]) * (y - mean[k][i]))
				}
			}
			if d < best {
				best, at = d, m+s
			}
		}
		marks[j] = at
	}
}
