package scaling

import "fmt"

// roughFamilies is the families of Disturbed: noise that detectors are not calibrated on.
var roughFamilies = []string{"day 1%", "day 2%", "day 5%", "shared days 5%", "outliers x1.2-3", "outliers exponential",
	"outliers x1.5-10", "growing to 10%", "growing to 3%", "shrinking to 0.5%", "shrinking to 0.1%",
	"absolute 1% of median", "absolute 2% of median", "absolute 1% of mean"}

// Disturbed draws n points of one law, nothing changed, under noise of a family.
// Days are known as groups; a day has 3 runs of each of its sizes.
func (s drawSource) Disturbed(family string, n int) drawnSeries {
	p, y := s.anyLaw(n)
	out := drawnSeries{Family: family, P: p}
	median, mean := y[n/2], 0.0
	for _, v := range y {
		mean += v / float64(n)
	}
	day, left, effect := 0, 0, 1.0
	for k, v := range y {
		rise := float64(k) / float64(n-1)
		runs := 1
		if family[:3] == "day" || family[:3] == "sha" {
			runs = 3
			if left == 0 {
				day++
				left = 1
				if family[0] == 's' {
					left = 1 + s.r.IntN(3)
				}
				spread := map[string]float64{"day 1%": 0.01, "day 2%": 0.02}[family]
				if spread == 0 {
					spread = 0.05
				}
				effect = 1 + spread*s.r.NormFloat64()
			}
			left--
		}
		var values []float64
		var groups []string
		for range runs {
			values = append(values, s.rough(family, v*effect, rise, median, mean))
			groups = append(groups, groupName(day))
		}
		out.Values, out.Groups = append(out.Values, values), append(out.Groups, groups)
	}
	return out
}

func groupName(day int) string {
	if day == 0 {
		return ""
	}
	return fmt.Sprintf("day %d", day)
}

// rough draws one run; rise goes from 0 at the first point to 1 at the last.
func (s drawSource) rough(family string, v, rise, median, mean float64) float64 {
	normal := s.r.NormFloat64()
	hit := s.r.Float64() < 0.05
	switch family {
	case "outliers x1.2-3":
		v = s.shaken(v, 0.02)
		if hit {
			v *= s.uniform(1.2, 3)
		}
	case "outliers exponential":
		v = s.shaken(v, 0.05)
		if hit {
			v *= 1 + 0.5*s.r.ExpFloat64()
		}
	case "outliers x1.5-10":
		v = s.shaken(v, 0.005)
		if hit {
			v *= s.uniform(1.5, 10)
		}
	case "growing to 10%":
		v *= 1 + (0.005+0.1*rise)*normal
	case "growing to 3%":
		v *= 1 + (0.001+0.03*rise)*normal
	case "shrinking to 0.5%":
		v *= 1 + (0.105-0.1*rise)*normal
	case "shrinking to 0.1%":
		v *= 1 + (0.031-0.03*rise)*normal
	case "absolute 1% of median":
		v += 0.01 * median * normal
	case "absolute 2% of median":
		v += 0.02 * median * normal
	case "absolute 1% of mean":
		v += 0.01 * mean * normal
	default: // days
		v *= 1 + 0.01*normal
	}
	return v
}

// anyLaw draws one law of the paper's kind or of measured series, without noise.
func (s drawSource) anyLaw(n int) (p, y []float64) {
	if s.r.IntN(2) == 0 {
		c := drawCell{In: s.r.IntN(2) == 0, Decades: s.r.IntN(2) == 0, Doubling: s.r.IntN(2) == 0}
		p = c.Points(n)
		return p, s.function(c, p)
	}
	p = s.sizes(n)
	return p, s.steady(steadyFamilies[s.r.IntN(len(steadyFamilies))], p)
}
