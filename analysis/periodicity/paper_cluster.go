package periodicity

import (
	"jobgait/analysis/internal/dtw"
	"jobgait/analysis/internal/robust"
)

// paperCluster is one periodicity: its instances and the one of them with the
// smallest sum of distances to the others.
type paperCluster struct {
	in     []Instance
	medoid Instance
}

// paperClusters divides one group of instances by single linkage on the distances of all pairs. Distances up to the cut
// join: paperCutFactor times the median distance to the nearest instance, limited to paperMinCut to paperMaxCut
// standard deviations of the samples.
func paperClusters(x []float64, in []Instance) []paperCluster {
	items := make([][]float64, len(in))
	var all []float64
	for i, v := range in {
		items[i] = x[v.First : v.First+v.Length]
		all = append(all, items[i]...)
	}
	m := dtw.NewMatrix(items)
	_, sd := robust.Mean(all)
	cut := paperMinCut
	if len(items) > 1 && sd > 0 {
		cut = min(max(paperCutFactor*m.Nearest()/sd, paperMinCut), paperMaxCut)
	}
	var out []paperCluster
	var members [][]int
	for i, k := range m.Clusters(cut * sd) {
		if k == len(out) {
			out, members = append(out, paperCluster{}), append(members, nil)
		}
		out[k].in = append(out[k].in, in[i])
		members[k] = append(members[k], i)
	}
	for k := range out {
		out[k].medoid = in[m.Medoid(members[k])]
	}
	return out
}

// paperAverage returns the barycentre average of a cluster, started from its medoid, the number of rounds, and
// the within-group sum of squares.
func paperAverage(x []float64, c paperCluster) (values []float64, rounds int, wgss float64) {
	items := make([][]float64, len(c.in))
	for i, v := range c.in {
		items[i] = x[v.First : v.First+v.Length]
	}
	var s dtw.Scratch
	values, wgss, rounds = s.Average(items, x[c.medoid.First:c.medoid.First+c.medoid.Length], dtw.Paper())
	return values, rounds, wgss
}
