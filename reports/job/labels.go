package job

import (
	"fmt"
	"strings"

	"jobgait/analysis/anatomy"
	"jobgait/analysis/quantity"
	"jobgait/analysis/run"
	"jobgait/analysis/series"
	"jobgait/analysis/summary"
	"jobgait/reports/text"
)

// labels maps the columns of a run to readable names.
type labels map[string]label

// label is the long and the short name of a column.
type label struct {
	long  string // "share of time in code page #1"
	short string // at most 9 columns, before a line of text: "page #1"
}

// newLabels returns the names of the columns in the run's timeline and patterns. Code pages are numbered in the
// order in which they appear, because their keys are hashes, which mean nothing to a reader; the name of the
// main function in a page is added where it is known.
func newLabels(s summary.Summary) labels {
	l := make(labels)
	pages := 0
	add := func(name, unit string) {
		if _, ok := l[name]; ok || name == "" {
			return
		}
		if isPage(name) {
			pages++
		}
		_, unit = inReadable(name, unit, s.Quality)
		l[name] = columnLabel(name, unit, pages).withFunction(s.Code, name)
	}
	for _, p := range s.Patterns {
		add(p.ValuesColumn, p.ValuesUnit)
	}
	for _, c := range s.Timeline.Columns {
		add(c.Name, c.Unit)
	}
	for _, p := range s.Patterns {
		add(p.Column, "")
	}
	return l
}

// withFunction appends to the long name of a code page the function that has at least minPageShare of the page's
// samples, if its name is known.
func (l label) withFunction(a *anatomy.Anatomy, column string) label {
	if a == nil {
		return l
	}
	for _, p := range a.Pages {
		if name := functionName(p.Function); p.Column == column && name != "" && p.Share >= minPageShare {
			l.long += " = " + text.Cut(string(name), 60)
		}
	}
	return l
}

// minPageShare is the smallest share of a page's samples at which the page is named after a function.
const minPageShare = 0.5

// isPage reports whether a column is one page of code in a file.
func isPage(name string) bool {
	page, ok := strings.CutPrefix(name, "code:")
	return ok && page != "kernel" && page != "anonymous" && page != "other"
}

// columnLabel returns the names of a column. A column that is not in the table is named after itself, with spaces for
// "_" and "-". page is the number of a code page; unit says whether the values of code are samples, busy CPUs or
// shares.
func columnLabel(name, unit string, page int) label {
	known := map[string]label{
		"busy_cpus":           {"busy CPUs", "busy"},
		"proc_cpu":            {"busy CPUs, by /proc", "busy"},
		"ipc":                 {"instructions per clock cycle (IPC)", "IPC"},
		"page_faults":         {"page faults", "faults"},
		"major_faults":        {"page faults with a disk read", "maj.flt"},
		"context_switches":    {"context switches", "switches"},
		"cpu_migrations":      {"CPU migrations", "migrations"},
		"cycles":              {"clock cycles", "clock"},
		"ref_cycles":          {"reference clock cycles", "ref.cyc"},
		"llc_misses":          {"misses of the last-level cache", "LLC miss"},
		"l2_misses":           {"misses of the L2 cache", "L2 miss"},
		"l1d_refills":         {"refills of the L1 data cache", "L1 refill"},
		"branch_misses":       {"mispredicted branches", "br. miss"},
		"syscalls":            {"system calls", "syscalls"},
		"block_requests":      {"requests to disks", "disk req."},
		"net_queued":          {"network packets sent", "net sent"},
		"net_received":        {"network packets received", "net rcvd"},
		"task_clock":          {"busy CPUs, by perf", "busy"},
		"cgroup_cpu":          {"busy CPUs, by the cgroup", "busy"},
		"node_cpu":            {"busy CPUs of the node", "node busy"},
		"cgroup_mem":          {"memory of the job", "memory"},
		"cgroup_anon":         {"memory of the job, without page cache", "own mem."},
		"cgroup_mem_limit":    {"limit of memory", "mem.limit"},
		"cgroup_cpu_limit":    {"limit of CPUs", "CPU limit"},
		"cgroup_oom_kills":    {"processes killed for lack of memory", "OOM kills"},
		"proc_mem":            {"memory of the job's processes", "memory"},
		run.CPUWait:           {"waiting for a CPU", "CPU wait"},
		run.StorageWait:       {"waiting for storage", "disk wait"},
		"proc_read_bytes":     {"read from storage", "read"},
		"proc_write_bytes":    {"written to storage", "written"},
		"cgroup_throttled":    {"held back by a CPU limit", "throttled"},
		"stolen_cpu":          {"taken by the node's host", "stolen"},
		"others_cpu":          {"used by others while it waited", "others"},
		"net_rx_bytes":        {"network, received", "net in"},
		"net_tx_bytes":        {"network, sent", "net out"},
		"net_rx_packets":      {"network, packets in", "pkts in"},
		"net_tx_packets":      {"network, packets out", "pkts out"},
		"ib_rx_bytes":         {"InfiniBand, received", "IB in"},
		"ib_tx_bytes":         {"InfiniBand, sent", "IB out"},
		"disk_read_bytes":     {"disks, read", "disk rd"},
		"disk_write_bytes":    {"disks, written", "disk wr"},
		"disk_reads":          {"disks, read requests", "disk rds"},
		"disk_writes":         {"disks, write requests", "disk wrs"},
		"lustre_read_bytes":   {"Lustre, read", "Lustre rd"},
		"lustre_write_bytes":  {"Lustre, written", "Lustre wr"},
		"nfs_read_bytes":      {"NFS, read", "NFS rd"},
		"nfs_write_bytes":     {"NFS, written", "NFS wr"},
		"cgroup_read_bytes":   {"read from disks", "read"},
		"cgroup_write_bytes":  {"written to disks", "written"},
		"psi_cpu_some":        {"time in which tasks waited for CPUs", "CPU wait"},
		"psi_io_full":         {"time in which all waited for disks", "disk wait"},
		"psi_mem_full":        {"time in which all waited for memory", "mem. wait"},
		"cgroup_psi_cpu_some": {"time in which tasks waited for CPUs", "CPU wait"},
		"cgroup_psi_io_full":  {"time in which all waited for disks", "disk wait"},
		"cgroup_psi_mem_full": {"time in which all waited for memory", "mem. wait"},
		"energy_pkg":          {"power of the processors", "CPU power"},
		"energy_dram":         {"power of the memory", "mem.power"},
		"mem_used":            {"memory of the node in use", "node mem."},
		"cpu_time":            {"CPU time", "CPU time"},
		"code":                {"which code ran", "code"},
	}
	if l, ok := known[name]; ok {
		return l
	}
	if !strings.HasPrefix(name, "code:") {
		words := strings.ReplaceAll(strings.ReplaceAll(name, "_", " "), "-", " ")
		return label{words, text.Cut(words, 9)}
	}
	where := label{fmt.Sprintf("code page #%d", page), fmt.Sprintf("page #%d", page)}
	switch name {
	case series.KernelCode:
		where = label{"kernel code", "kernel"}
	case "code:anonymous":
		where = label{"code without a file", "no file"}
	case series.OtherCode:
		where = label{"all other code pages", "other"}
	}
	switch unit {
	case "samples":
		return label{"samples in " + where.long, where.short}
	case "CPUs":
		return label{"busy CPUs in " + where.long, where.short}
	}
	return label{"share of time in " + where.long, where.short}
}

// named returns the names of a column; one that is not in the map is named after itself.
func (l labels) named(column string) label {
	if x, ok := l[column]; ok {
		return x
	}
	return columnLabel(column, "", 0)
}

func (l labels) long(column string) string  { return l.named(column).long }
func (l labels) short(column string) string { return l.named(column).short }

// levelRange prints the ends of a picture's range in the column's unit. Shares are printed in percent; a unit
// that the label says is left out.
func levelRange(lo, hi float64, unit string) string {
	switch unit {
	case "share":
		return quantity.Share(lo) + " .. " + quantity.Share(hi)
	case "", "1", "CPUs", "samples":
		return quantity.Plain(lo, 3) + " .. " + quantity.Plain(hi, 3)
	case "1/s", "faults/s", "switches/s", "migrations/s", "events/s", "packets/s", "operations/s":
		return quantity.Amount(lo, "") + " .. " + quantity.Amount(hi, "") + " a second"
	}
	return quantity.Amount(lo, unit) + " .. " + quantity.Amount(hi, unit)
}
