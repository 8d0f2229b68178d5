package reports

import "jobgait/analysis/quantity"

// textResources says in a line each what was used of what was given. What was not
// measured has no words here; the notes in JSON and page say why.
func (r Report) textResources(p *page) {
	for _, l := range [][2]string{{"CPU", r.cpuLine()}, {"MEM", r.memoryLine()}, {"I/O", r.ioLine()}, {"TIME", r.timeLine()}} {
		if l[1] != "" {
			p.text("  "+padRight(l[0], 6), l[1])
		}
	}
}

// least is the mean number of CPUs below which waiting and the like are not told.
const least = 0.01

func (r Report) cpuLine() string {
	c := r.Resources.CPU
	if c.Busy == nil {
		return ""
	}
	line := quantity.Hundredths(*c.Busy) + " CPUs busy"
	if c.Allocated != nil {
		line = quantity.Hundredths(*c.Busy) + " of " + quantity.Plural(int(*c.Allocated), "CPU") + " busy"
	}
	for _, x := range []struct {
		cpus *float64
		text string
	}{{c.Waiting, "ready to run and waiting"}, {c.Throttled, "held back by a limit"}, {c.Stolen, "taken by the node's host"}} {
		if x.cpus != nil && *x.cpus >= least {
			line += ", " + quantity.Hundredths(*x.cpus) + " " + x.text
		}
	}
	return line
}

func (r Report) memoryLine() string {
	m := r.Resources.Memory
	if m.PeakBytes == nil {
		return ""
	}
	line := quantity.Amount(*m.PeakBytes, "bytes")
	if m.RequestedBytes != nil {
		line += " of " + quantity.Amount(*m.RequestedBytes, "bytes")
	}
	line += " at most, page cache apart"
	if k := m.OOMKills; k != nil && *k > 0 {
		line += "; " + quantity.Plural(int(*k), "kill") + " for lack of it"
	}
	return line
}

func (r Report) ioLine() string {
	x := r.Resources.IO
	if x.ReadBytes == nil || x.WrittenBytes == nil {
		return ""
	}
	line := quantity.Amount(*x.ReadBytes, "bytes") + " read from storage, " + quantity.Amount(*x.WrittenBytes, "bytes") + " written"
	if x.WaitingS != nil {
		line += "; all stood still for it for " + quantity.Duration(*x.WaitingS)
	}
	return line
}

// timeLine is of a limit: without one the head has the time.
func (r Report) timeLine() string {
	t := r.Resources.Time
	if t.UsedS == nil || t.LimitS == nil {
		return ""
	}
	return quantity.Duration(*t.UsedS) + " of " + quantity.Duration(*t.LimitS)
}
