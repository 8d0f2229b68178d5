package history

import (
	"fmt"
	"strings"

	"jobgait/analysis/note"
	"jobgait/analysis/pattern"
	"jobgait/analysis/phase"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

// Largest texts that a column keeps, in characters. Job names, paths and labels are
// chosen by users; nothing they choose may make the history grow, and the sqlite3
// tool writes to an administrator's terminal what it finds. The stored summary keeps
// the text as it was.
const (
	maxName = 256
	maxText = 4096
	maxList = 64 << 10 // a node list; 10,000 nodes without a common prefix
)

// column is one column of a row with its value.
type column struct {
	name  string
	value any
}

// insertRun inserts the row of a run and returns its id.
func (w *writer) insertRun(s summary.Summary, reuse int, reportDir string) int64 {
	columns := append(w.jobColumns(s), w.resultColumns(s)...)
	return w.insert("internal_run", append(columns, column{"reuse", reuse}, column{"report_dir_id", w.path(s, reportDir)}))
}

// updateRun overwrites the row of a run. Where the report went is kept if
// nothing newer is known.
func (w *writer) updateRun(s summary.Summary, runID int64, reportDir string) {
	names, values := unzip(append(w.jobColumns(s), w.resultColumns(s)...))
	values = append(values, w.path(s, reportDir), runID)
	w.exec(fmt.Sprintf("UPDATE internal_run SET %s = ?, report_dir_id = coalesce(?, report_dir_id) WHERE run_id = ?",
		strings.Join(names, " = ?, ")), values...)
}

// jobColumns returns the columns of a run that do not depend on samples.
func (w *writer) jobColumns(s summary.Summary) []column {
	j := s.Job
	columns := []column{
		{"cluster_id", w.cluster(s)},
		{"job_id", s.Key.JobID},
		{"restart", s.Key.Restart},
		{"sluid", note.Clean(s.Key.SLUID, maxName)},
		{"sub", s.Key.Sub},
		{"display_id", s.DisplayID()},
		{"array_job_id", j.ArrayJobID},
		{"array_task_id", j.ArrayTaskID},
		{"het_job_id", j.HetJobID},
		{"user_id", w.user(s)},
		{"series_id", w.series(s)},
		{"account_id", w.word(j.Account)},
		{"partition_id", w.word(j.Partition)},
		{"qos_id", w.word(j.QOS)},
		{"job_name", text(j.Name, maxText)},
		{"executable_id", w.word(j.Executable)},
		{"state_id", w.word(s.State)},
		{"scheduler_start", j.SchedulerStart},
		{"submit_s", j.Submit},
		{"eligible_s", j.Eligible},
		{"start_s", second(s.Start)},
		{"end_s", second(s.End)},
		{"elapsed_ms", scaledInt(positiveOrNil(s.RanS()), 1e3)},
		{"nnodes", nnodes(s)},
		{"ncpus", j.NCPUs},
		{"ntasks", j.NTasks},
		{"cpus_per_task", j.CPUsPerTask},
		{"size", text(j.Size, maxName)},
		{"node_list", text(j.NodeList, maxList)},
		{"work_dir_id", w.path(s, j.WorkDir)},
		{"stdout_id", w.path(s, j.StdOut)},
		{"set_id", w.storeFields(s)},
	}
	if s.Exit != nil {
		return append(columns, column{"exit_code", s.Exit.Code}, column{"exit_signal", s.Exit.Signal})
	}
	return append(columns, column{"exit_code", nil}, column{"exit_signal", nil})
}

// resultColumns returns the columns of a run that are computed from samples.
func (w *writer) resultColumns(s summary.Summary) []column {
	columns := []column{
		{"imbalance", scaledInt(s.ImbalancePct, 1e2)},
		{"busy_mcpu", scaledInt(s.BusyCPUs(), 1e3)},
		{"nodes_reported", s.Reported()},
		{"counters_id", w.word(counters(s.Quality))},
		{"sample_hz", positive(s.Quality.RateHz)},
		{"lost_ppm", missingPPM(s.Quality)},
		{"prolog_ms", scaledInt(s.Quality.PrologS, 1e3)},
		{"epilog_ms", scaledInt(s.Quality.EpilogS, 1e3)},
		{"overhead_ppm", scaledInt(positiveOrNil(s.Quality.OverheadPct), 1e4)},
		{"step_us", scaledInt(s.StepS, 1e6)},
		{"cpu_ms", scaledInt(otherCPUSeconds(s), 1e3)},
		{"step_cpu_us", scaledInt(s.StepCPUS(), 1e6)},
		{"step_wait_us", scaledInt(s.StepWaitS(), 1e6)},
		{"startup_ms", scaledInt(phaseSeconds(s, phase.StartUp), 1e3)},
		{"checkpoint_ms", scaledInt(phaseSeconds(s, phase.Checkpoint), 1e3)},
		{"energy_mj", scaledInt(energy(s), 1e3)},
	}
	columns = append(columns, resourceColumns(s.Resources())...)
	return append(columns, w.mainPattern(s)...)
}

// missingPPM returns the number of missing samples in relation to that of the samples, in parts per million; NULL
// without samples.
func missingPPM(q run.Quality) any {
	if q.Samples <= 0 {
		return nil
	}
	part := float64(q.Missing) / float64(q.Samples)
	return scaledInt(&part, 1e6)
}

// resourceColumns returns the columns of the resources that a run was given and used.
func resourceColumns(r summary.Resources) []column {
	return []column{
		{"waiting_mcpu", scaledInt(r.CPU.Waiting, 1e3)},
		{"throttled_mcpu", scaledInt(r.CPU.Throttled, 1e3)},
		{"stolen_mcpu", scaledInt(r.CPU.Stolen, 1e3)},
		{"others_mcpu", scaledInt(r.CPU.Others, 1e3)},
		{"mem_peak", r.Memory.PeakBytes},
		{"mem_requested", r.Memory.RequestedBytes},
		{"oom_kills", r.Memory.OOMKills},
		{"read_bytes", r.IO.ReadBytes},
		{"written_bytes", r.IO.WrittenBytes},
		{"io_wait_ms", scaledInt(r.IO.WaitingS, 1e3)},
		{"net_rx_bytes", r.Network.RxBytes},
		{"net_tx_bytes", r.Network.TxBytes},
		{"limit_s", r.Time.LimitS},
	}
}

// mainPattern returns the columns of the first pattern of a run, NULL without patterns.
func (w *writer) mainPattern(s summary.Summary) []column {
	if len(s.Patterns) > 0 {
		return w.patternColumns(s.Patterns[0])
	}
	columns := w.patternColumns(pattern.Pattern{})
	for i := range columns {
		columns[i].value = nil
	}
	return columns
}

// cluster returns the id of the cluster of a run.
func (w *writer) cluster(s summary.Summary) int64 {
	return w.id("internal_cluster", "cluster_id", []string{"name"}, note.Clean(s.Key.Cluster, maxName))
}

// user returns the id of the user of a run.
func (w *writer) user(s summary.Summary) int64 {
	return w.id("internal_hpc_user", "user_id", []string{"name", "uid"}, User(s), s.Job.UID)
}

// application returns the id of the application of a run, 0 if it is unknown.
func (w *writer) application(s summary.Summary) int64 {
	name := Application(s)
	if name == Unknown {
		return 0
	}
	return w.id("internal_application", "application_id", []string{"user_id", "name", "cluster_id"}, w.user(s), name,
		w.cluster(s))
}

// series returns the id of the series of a run, nil if its application is unknown. A series of the same shape that was
// recorded without arguments is continued (adoptSeries).
func (w *writer) series(s summary.Summary) any {
	app := w.application(s)
	if app == 0 {
		return nil
	}
	shape := Shape(s)
	if bare := shapeWithoutArguments(s); bare != shape {
		w.adoptSeries(app, bare, shape)
	}
	return w.id("internal_run_series", "series_id", []string{"application_id", "shape"}, app, shape)
}

// adoptSeries renames a series recorded without arguments to the shape of the first run that has arguments, so
// that an existing history continues. Later arguments begin series of their own.
func (w *writer) adoptSeries(app int64, bare, shape string) {
	at := strings.Index(shape, argumentsMark) + len(argumentsMark)
	w.forget("internal_run_series", app, bare)
	w.exec(`UPDATE internal_run_series SET shape = ?1 WHERE application_id = ?2 AND shape = ?3 AND NOT EXISTS
		(SELECT 1 FROM internal_run_series WHERE application_id = ?2 AND substr(shape, 1, ?4) = substr(?1, 1, ?4)
			AND substr(shape, ?5) = substr(?1, ?5))`, shape, app, bare, at, at+17)
}

// counters returns the best kind of counter that was read: "hw" (the CPU's own
// counters), "sw" (the kernel's events), "proc" (files) or "none".
func counters(q run.Quality) string {
	kind := "none"
	for _, src := range q.Sources {
		if src.Absent != "" {
			continue
		}
		switch src.PMU {
		case "", "proc", "cgroup":
			if kind == "none" {
				kind = "proc"
			}
		case "software", "tracepoint":
			kind = "sw"
		case "nvml", "amdgpu": // a GPU's counters say nothing of the CPU's
		default:
			return "hw"
		}
	}
	return kind
}

// text returns a text as it is stored, clean and limited, NULL for an empty one.
func text(s string, limit int) any {
	if s = note.Clean(s, limit); s == "" {
		return nil
	}
	return s
}

// second returns a time rounded down to seconds, NULL for 0. Rounding down ensures that a query for runs that
// began until a run's start includes that run.
func second(at float64) any {
	if at > 0 {
		return int64(at)
	}
	return nil
}

// positive returns NULL for 0: a time, a rate or a cost that was not measured.
func positive(x float64) any {
	if x > 0 {
		return x
	}
	return nil
}

// unzip returns the names and the values of columns.
func unzip(columns []column) (names []string, values []any) {
	for _, c := range columns {
		names = append(names, c.name)
		values = append(values, c.value)
	}
	return names, values
}
