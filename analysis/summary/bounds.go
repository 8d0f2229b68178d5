package summary

import (
	"fmt"
	"math"
	"reflect"
	"strings"

	"jobgait/analysis/anatomy"
	"jobgait/analysis/run"
)

// Limits for any number of a record and for the length of any list. Sums over 100,000 nodes of eight days are
// below maxNumber.
const (
	maxNumber = 1e25
	maxInt    = 1 << 60
	maxList   = 1 << 20 // notes of 100,000 nodes
)

// bound is the range lo..hi of the named fields: of numbers, or of the length of lists that are not empty. A
// field is named with its type if other types have a field of that name.
type bound struct {
	lo, hi float64
	fields string
}

// numbers returns the bounds of numbers in a record of the given number of nodes.
func numbers(nodes float64) []bound {
	return []bound{
		{-1, maxID, "UID GID"},
		{0, maxID, "ArrayJobID ArrayTaskID HetJobID HetOffset"},
		{0, maxNodes, "NNodes"},
		{1, maxNodes, "NodeLane.Of"},
		{0, math.MaxInt32, "NTasks NCPUs CPUsPerTask"},
		{0, 1 << 16, "Exit.Code"},
		{0, 1 << 10, "Exit.Signal"},
		{0, maxSpan, "TimeLimitS StepS Node.PeriodS MeanS P10S P90S SinceS ReadS ActiveS SlowedS PowerCappedS HeatSlowedS " +
			"PrologS EpilogS"},
		{1e-9, maxSpan, "Timing.PeriodS NodeLane.StepS Example.LengthS"},
		{-maxSpan, maxSpan, "StartS EndS PeriodLoS PeriodHiS"},
		{0, nodes * maxCPUs, "CPUs CPULimit"},
		{0, maxCPUs, "BusyCPUs"},
		{0, maxHz, "RateHz AddressHz"},
		{0, 1e4, "OverheadPct"},
		{0, 100, "BudgetPct"},
		{0, 1e9, "InterruptNS"},
		{0, 100 * maxNodes, "ImbalancePct"},
		{0, nodes * maxSpan * 2000, "Quality.Samples Quality.Missing"},
		{0, maxSpan * 2000, "Node.Samples Node.Missing Instances Cycle.Count GPUCycle.Count"},
		{0, nodes * 1e15, "LostRecords"},
		{0, nodes * maxSpan, "Blocks AgentCPUS GPUReaderS GPUReaderStartS"},
		{-nodes * maxCounter, nodes * maxCounter, "Counter.Total"},
		{0, nodes * maxCounter, "Counter.Before PeakBytes LimitBytes NodeMemoryBytes"},
		{0, maxNodes * maxCounter, "Job.MemoryBytes"},
		{0, maxCounter, "AddressBytes Anatomy.Samples GPUDevice.MemoryBytes EnergyJ MemoryPeakBytes"},
		{0, maxSpan * maxCPUs, "CPUS BusyS CycleS Share.Lo Share.Hi Within"},
		{0, maxSpan * maxHz, "PeriodSamples"},
		{0, 1e6, "PeriodCV GPU.PowerW ClockMHz"},
		{-shareTolerance, 1 + shareTolerance,
			"TimeDivision.Part Computing CPUWait Storage Asleep Confidence Coverage Part.Share Share.Share Others.Share " +
				"Phase.Share UnnamedShare " +
				"LeadShare IdleShare SM Occupancy Tensor DRAM Program.Share Program.Strip"},
		{0, maxInt, "Program.Started ThreadWork.Threads"},
		{0, nodes * maxSpan * maxCPUs, "Sleep.S ThreadWork.BusiestS ThreadWork.TotalS MostActiveS"},
		{-maxSpan, maxSpan, "FirstS LastS StripStartS"},
		{0, maxSpan, "StripStepS"},
		{0, mostGPUs, "GPUDevice.Index"},
	}
}

// lengths returns the bounds of lists: longer ones would cost time and memory when they are drawn.
func lengths(nodes float64) []bound {
	return []bound{
		{0, maxNodes, "Summary.Nodes"},
		{0, nodes * mostGPUs, "GPUs"},
		{0, 10_000, "Sources Counters"},
		{0, 1000, "Fields Pages Functions Classes Libraries Timeline.Columns"},
		{0, 100, "Cycles"},
		{0, run.MostPrograms, "Programs"},
		{0, float64(len(run.SleepCauses())), "Sleeps"},
		{0, 64, "Program.Strip"},
		{0, 3, "Course"},
		{0, 1e5, "Min Mean Max"},
		{0, maxLanes, "Lanes"},
		{0, nodeBins, "NodeLane.Busy"},
		{0, laneBins, "GPULane.Busy"},
		{0, atStart + typical + slowest, "Examples"},
		{0, examplePoints, "Example.Values"},
		{anatomy.Bins, anatomy.Bins, "Within GPUCycle.PowerW GPUCycle.Idle"},
	}
}

// bounds are bounds by field.
type bounds map[string]bound

// byField indexes bounds by the names of their fields.
func byField(list []bound) bounds {
	out := bounds{}
	for _, b := range list {
		for _, name := range strings.Fields(b.fields) {
			out[name] = b
		}
	}
	return out
}

// check returns nil if x is within the bounds of a field, "Type.Field". lo and hi apply to fields without bounds of
// their own. NaN is out of bounds.
func (b bounds) check(field string, x, lo, hi float64) error {
	_, name, _ := strings.Cut(field, ".")
	for _, key := range []string{field, name} {
		if own, ok := b[key]; ok {
			lo, hi = own.lo, own.hi
			break
		}
	}
	if x >= lo && x <= hi { // NaN is not
		return nil
	}
	return fmt.Errorf("%s of the record is %g, want %g to %g", field, x, lo, hi)
}

// checkBounds returns nil if the numbers and lists of a record of the given number of nodes are within the
// bounds of an honest record. Its text was cleaned when it was decoded.
func checkBounds(record any, nodes int) error {
	number, length := byField(numbers(float64(nodes))), byField(lengths(float64(nodes)))
	return visit(reflect.ValueOf(record), "", func(v reflect.Value, field string) error {
		switch v.Kind() {
		case reflect.String:
			return nil
		case reflect.Float64:
			return number.check(field, v.Float(), -maxNumber, maxNumber)
		case reflect.Int, reflect.Int64:
			return number.check(field, float64(v.Int()), -maxInt, maxInt)
		case reflect.Uint64: // a place in a file
			return number.check(field, float64(v.Uint()), 0, 4*maxInt)
		case reflect.Slice, reflect.Map:
			if v.Len() == 0 {
				return nil
			}
			return length.check(field, float64(v.Len()), 0, maxList)
		}
		return fmt.Errorf("internal error, please report it: field %s of the record has a type %v without a range", field,
			v.Kind())
	})
}
