package job

import (
	"bytes"
	"strings"
	"testing"

	"jobgait/analysis/anatomy"
	"jobgait/analysis/pattern"
	"jobgait/analysis/quantity"
	"jobgait/analysis/run"
	"jobgait/analysis/series"
	"jobgait/analysis/summary"
	"jobgait/reports/pagetest"
)

// onGPUs is the melt, ten times as long, with two GPUs.
func onGPUs() summary.Summary {
	s := melt()
	s.Key.JobID = 812361
	s.Patterns = []pattern.Pattern{pat("A", 2.17, 1340, .81, 1, "code:9f31c2aa04d7e611", "samples")}
	c := &s.Code.Cycles[0]
	for i := range c.Functions {
		c.Functions[i] = longer(c.Functions[i])
	}
	for _, list := range [][]anatomy.Part{c.Classes, c.Libraries} {
		for i, p := range list {
			f := longer(anatomy.Share{CycleS: p.CycleS, Within: p.Within, Seconds: p.Seconds})
			list[i].CycleS, list[i].Within, list[i].Seconds = f.CycleS, f.Within, f.Seconds
		}
	}
	c.BusyS, s.Code.Run.BusyS, s.Code.Samples = 10*c.BusyS, 10*s.Code.Run.BusyS, 10*s.Code.Samples
	board := run.GPUDevice{Name: "NVIDIA A100-SXM4-80GB", UUID: "GPU-6e05d7c1-0000-0000-0000-000000000000",
		MemoryBytes: 85.9e9}
	s.GPUs = []summary.GPU{
		{Node: "dahu-1", GPUDevice: board, ReadS: 3540, EnergyJ: ptr(1.097e6), PowerW: ptr(310.), ActiveS: ptr(2443.),
			SlowedS: ptr(0.), SM: ptr(.612), Occupancy: ptr(.305), Tensor: ptr(.214), DRAM: ptr(.393),
			MemoryPeakBytes: ptr(71.2e9)},
		{Node: "dahu-1", GPUDevice: board, ReadS: 3540, EnergyJ: ptr(1.071e6), PowerW: ptr(302.6), ActiveS: ptr(2406.),
			SlowedS: ptr(0.), MemoryPeakBytes: ptr(70.8e9)}}
	for i := range s.GPUs {
		s.GPUs[i].Cycle = &summary.GPUCycle{Pattern: "A", Count: 1340, IdleShare: []float64{.125, .16}[i],
			PowerW: make([]float64, anatomy.Bins), Idle: make([]float64, anatomy.Bins)}
		for k := range anatomy.Bins {
			if s.GPUs[i].Cycle.PowerW[k] = 340; k < 4 { // while lists of neighbours are built
				s.GPUs[i].Cycle.PowerW[k], s.GPUs[i].Cycle.Idle[k] = 95, 1
			}
		}
	}
	for i := range s.GPUs { // idle in the start-up and the gap; the second was not read at once, and not always
		lane := summary.GPULane{StepS: 15}
		for k := range 240 {
			v := float32(0)
			switch {
			case i == 1 && (k < 8 || k >= 170 && k < 180):
				v = series.Missing()
			case k >= 20 && (k < 123 || k >= 128):
				v = .87 - .04*float32(i) + .02*float32(k%3)
			}
			lane.Busy = append(lane.Busy, v)
		}
		s.GPUs[i].Lane = &lane
	}
	s.GPUs[1].Index, s.GPUs[1].UUID = 1, "GPU-6e05d7c1-0000-0000-0000-000000000001"
	s.Counters = append(s.Counters, run.Counter{Name: "gpu0_energy", Unit: "uJ", Scope: "job", Total: 1.097e12})
	return s
}

// longer is ten times what a function was.
func longer(f anatomy.Share) anatomy.Share {
	f.Seconds *= 10
	for _, v := range []**float64{&f.CycleS, &f.Lo, &f.Hi} {
		if *v != nil {
			*v = ptr(10 * **v)
		}
	}
	within := []float64{}
	for _, v := range f.Within {
		within = append(within, 10*v)
	}
	f.Within = within
	return f
}

// The page has the same table and sentences.
func TestGPUsOfThePage(t *testing.T) {
	var b bytes.Buffer
	if err := HTML(&b, New(onGPUs(), nil, options())); err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(b.String(), "<h2>GPUs</h2>")
	section, _, end := strings.Cut(rest, "</section>")
	if !ok || !end {
		t.Fatal("the page has no section of GPUs")
	}
	pagetest.Golden(t, "gpus.html", []byte(section))
	b.Reset()
	if err := HTML(&b, New(nemo(), nil, options())); err != nil || strings.Contains(b.String(), "<h2>GPUs</h2>") {
		t.Errorf("a run without GPUs has one too, %v", err)
	}
}

// While the GPUs are idle, code is named that has most of the CPU time then, and more
// than at other times; its library or its kind where no function has, and none where
// all runs alike or is not known.
func TestWhileGPUsAreIdle(t *testing.T) {
	const all = "The GPUs are idle 14.3 % of each cycle of 2.17 s"
	for name, c := range map[string]struct {
		change func(*summary.Summary)
		want   string
	}{
		"a function": {func(*summary.Summary) {}, all +
			", while NPairHalfBinAtomonlyNewton::build of liblammps runs."},
		// own code runs throughout the cycle
		"libraries alone are kept": {func(s *summary.Summary) { *s = s.WithNames(run.Libraries) }, all + "."},
		"nothing runs": {func(s *summary.Summary) {
			for _, list := range [][]anatomy.Part{s.Code.Cycles[0].Classes} {
				for i := range list {
					list[i].Within = make([]float64, anatomy.Bins)
				}
			}
		}, all + ", while next to nothing runs on the CPUs."},
		"no names are kept":   {func(s *summary.Summary) { *s = s.WithNames(run.NoNames) }, all + "."},
		"time unknown":        {func(s *summary.Summary) { s.GPUs[0].Cycle.Idle = nil }, all + "."},
		"another node's code": {func(s *summary.Summary) { s.CodeNode = "dahu-2" }, all + "."},
		"one is idle for longer": {func(s *summary.Summary) {
			s.GPUs[1].Cycle.IdleShare = .9
			s.Code = nil
		}, "The GPUs are idle 12.5 % to 90.0 % of each cycle of 2.17 s."},
		"the cycle is only possible": {func(s *summary.Summary) { s.Patterns[0].Confidence = .59 }, ""},
		"of one no cycle was seen":   {func(s *summary.Summary) { s.GPUs[1].Cycle = nil }, ""},
		"one GPU": {func(s *summary.Summary) {
			s.GPUs = s.GPUs[:1]
			s.Code = nil
		}, "The GPU is idle 12.5 % of each cycle of 2.17 s."},
		"when the same runs": {func(s *summary.Summary) {
			for i := range s.GPUs {
				for k := range anatomy.Bins {
					s.GPUs[i].Cycle.Idle[k] = 0
					if k >= 16 && k < 20 { // in the middle of the forces
						s.GPUs[i].Cycle.Idle[k] = 1
					}
				}
			}
		}, all + "."},
	} {
		s := onGPUs()
		c.change(&s)
		if got := New(s, nil, options()).gpuIdleText(); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// If no cycle is likely, the idle share is that of the time.
func TestIdleTimeOfGPUs(t *testing.T) {
	s := onGPUs()
	s.Patterns[0].Confidence = .5
	s.GPUs[1].ActiveS = ptr(354.)
	r := New(s, nil, options())
	const want = "The GPUs were idle 31.0 % to 90.0 % of the time for which the run held them."
	var got []string
	for _, f := range r.Findings {
		if f.Code == "gpu_idle_share" {
			got = append(got, f.Text)
		}
	}
	if len(got) != 1 || got[0] != want {
		t.Errorf("findings %q, want %q", got, want)
	}
	for _, row := range r.gpuRows() {
		if len(row) != 6 {
			t.Errorf("row %v has an idle share of a cycle that is not likely", row)
		}
	}
	s.GPUs[0].ActiveS, s.GPUs[1].ActiveS = ptr(3.), ptr(0.)
	if text := New(s, nil, options()).gpuUseText(); text != "" {
		t.Errorf("of GPUs that ran next to nothing: %q", text)
	}
	s.GPUs[0].ActiveS = ptr(2443.)
	if text := New(s, nil, options()).gpuUseText(); !strings.Contains(text, "61.2 % of the multiprocessors") {
		t.Errorf("of one that ran: %q", text)
	}
	s.GPUs[1].ActiveS = nil
	if text := New(s, nil, options()).gpuIdleTime(); text != "" {
		t.Errorf("of one it is not known: %q", text)
	}
	s.GPUs = s.GPUs[:1]
	if text := New(s, nil, options()).gpuIdleTime(); text !=
		"The GPU was idle 31.0 % of the time for which the run held it." {
		t.Errorf("of one GPU: %q", text)
	}
}

// The text shows what was read and omits the rest; a long list of GPUs is cut.
func TestTextOfGPUs(t *testing.T) {
	s := onGPUs()
	s.GPUs[1].EnergyJ, s.GPUs[1].PowerW, s.GPUs[1].Name = nil, nil, hostileName
	for i := range 20 {
		g := s.GPUs[0]
		g.Node, g.Index = "dahu-2", i
		s.GPUs = append(s.GPUs, g)
	}
	rows := New(s, nil, options()).gpuRows()
	if len(rows) != 1+listedGPUs || rows[1][0].Text != "dahu-1 0" || rows[2][3].Text != quantity.Missing ||
		rows[2][2].Text != "68.0 %" {
		t.Errorf("rows %v", rows)
	}
	r := New(s, nil, options())
	if rest := r.gpuOthersText(); !strings.Contains(rest, "6 more") || strings.Contains(rest, "took") {
		t.Errorf("rest %q: the energy of one is not known", rest)
	}
	if rows := New(nemo(), nil, options()).gpuRows(); rows != nil {
		t.Errorf("of a run without GPUs: %v", rows)
	}
}

// The difference between GPUs is described, with their numbers; equal GPUs are not compared.
func TestGPUsThatDiffer(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*summary.Summary)
		want   string
	}{
		"alike": {func(*summary.Summary) {}, ""},
		"both": {func(s *summary.Summary) { s.GPUs[1].EnergyJ, s.GPUs[1].ActiveS = ptr(.6e6), ptr(354.) },
			"The GPUs differ: energy from 600 kJ (GPU 1) to 1.10 MJ (GPU 0), active from 10.0 % (GPU 1) to 69.0 % (GPU 0)."},
		"one is not known": {func(s *summary.Summary) { s.GPUs[1].EnergyJ, s.GPUs[1].ActiveS = nil, ptr(0.) },
			"The GPUs differ: active from 0 % (GPU 1) to 69.0 % (GPU 0)."},
		"none":    {func(s *summary.Summary) { s.GPUs = nil }, ""},
		"one GPU": {func(s *summary.Summary) { s.GPUs = s.GPUs[:1] }, ""},
	} {
		s := onGPUs()
		c.change(&s)
		if got := New(s, nil, options()).gpuDifferenceText(); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	s := onGPUs()
	s.GPUs[1].ClockMHz = ptr(1410.)
	if got := New(s, nil, options()).gpuClockText(); got != "The shaders' clock was 1,410 MHz in the mean." {
		t.Error(got)
	}
	s.GPUs[0].ClockMHz = ptr(990.)
	if got := New(s, nil, options()).gpuClockText(); got != "The shaders' clock was 990 MHz (GPU 0) to 1,410 MHz (GPU 1) "+
		"in the mean." {
		t.Error(got)
	}
}

// The page draws a lane for each GPU, over the same time as the other pictures: the part of the time in which
// some kernel ran, and nothing where the GPU was not read.
func TestLanesOfGPUs(t *testing.T) {
	r := New(onGPUs(), nil, options())
	list := r.timelineCharts()
	svg := string(list[len(list)-1].SVG)
	if p := list[len(list)-1]; p.Title != "GPUs" || strings.Count(svg, `class="shade s1"`) != 2 ||
		strings.Count(svg, `class="shade s6"`) != 2 ||
		!strings.Contains(svg, `data-hi="`+strings.Split(strings.Split(string(list[0].SVG), `data-hi="`)[1], `"`)[0]+`"`) {
		t.Errorf("last picture %q: %.400s", p.Title, svg)
	}
	pagetest.Golden(t, "gpu-lanes.svg", []byte(strings.ReplaceAll(svg, "><", ">\n<")))
	shape := lookAt(t, "lanes", svg)
	begins := map[string][]string{}
	for i, class := range shape.class {
		begins[class] = append(begins[class], strings.Split(shape.d[i], "V")[0])
	}
	// The second GPU was first read after 120 of 3600 s: a 30th of the width, and beyond.
	if b := begins["shade s1"]; len(b) != 2 || !strings.HasPrefix(b[0], "M0,") || strings.HasPrefix(b[1], "M0,") ||
		!strings.HasPrefix(b[1], "M33.") {
		t.Errorf("idle from %v on", b)
	}
	if n := strings.Count(r.samples(), `"label":"GPU `); n != 2 {
		t.Errorf("%d lanes can be read off", n)
	}
	for name, change := range map[string]func(*summary.GPULane){
		"no step":  func(l *summary.GPULane) { l.StepS = 0 },
		"no bins":  func(l *summary.GPULane) { l.Busy = nil },
		"no parts": func(l *summary.GPULane) { l.Busy = series.Values{2, -1} },
	} {
		s := onGPUs()
		for i := range s.GPUs {
			change(s.GPUs[i].Lane)
		}
		list := New(s, nil, options()).timelineCharts()
		if p := list[len(list)-1]; p.Title == "GPUs" &&
			(name != "no parts" || strings.Contains(string(p.SVG), `class="shade`)) {
			t.Errorf("%s: %.300s", name, p.SVG)
		}
	}
}
