package run

import (
	"cmp"
	"maps"
	"reflect"
)

// Job describes a job beside its samples. Unknown text is "" and an unknown number
// is nil; no field is guessed.
type Job struct {
	Name        string `json:"name,omitempty"`
	User        string `json:"user"`
	UID         int    `json:"uid"`
	GID         int    `json:"gid"`
	Account     string `json:"account,omitempty"`
	Partition   string `json:"partition,omitempty"`
	QOS         string `json:"qos,omitempty"`
	ArrayJobID  *int64 `json:"array_job_id,omitempty"`
	ArrayTaskID *int64 `json:"array_task_id,omitempty"`
	// HetJobID and HetOffset are set for a component of a heterogeneous job: the id of its first
	// component, and the component's position from 0.
	HetJobID    *int64 `json:"het_job_id,omitempty"`
	HetOffset   *int64 `json:"het_offset,omitempty"`
	NNodes      int    `json:"nnodes"`
	NodeList    string `json:"node_list"`
	NTasks      *int   `json:"ntasks,omitempty"`
	NCPUs       *int   `json:"ncpus,omitempty"`
	CPUsPerTask *int   `json:"cpus_per_task,omitempty"`
	// TimeLimitS is nil for no limit, MemoryBytes the request on all nodes.
	TimeLimitS  *float64 `json:"time_limit_s,omitempty"`
	MemoryBytes *float64 `json:"memory_bytes,omitempty"`
	// AddressBytes is how much memory one process may map, nil for no limit.
	AddressBytes *float64 `json:"address_bytes,omitempty"`
	WorkDir      string   `json:"work_dir,omitempty"`
	StdOut       string   `json:"stdout,omitempty"` // expanded path, if known
	// Executable is the base name of the program that used most CPU time.
	Executable string `json:"executable,omitempty"`
	// Script is the base name of the script, module or jar that Executable interprets.
	Script string `json:"script,omitempty"`
	// App and Size are the user's own labels (app=, size=).
	App  string `json:"app,omitempty"`
	Size string `json:"size,omitempty"`
	// Fields hold further recorded facts that may explain a change of speed, by name
	// (FieldBuildID...). An absent name is unknown.
	Fields map[string]string `json:"fields,omitempty"`
	// SchedulerStart is the start time that the scheduler gives, epoch
	// seconds: it guards against reused job ids.
	SchedulerStart *int64 `json:"scheduler_start,omitempty"`
	// Submit is when the job was submitted, Eligible when nothing but resources kept it from running; epoch seconds.
	Submit   *int64 `json:"submit,omitempty"`
	Eligible *int64 `json:"eligible,omitempty"`
}

// With returns j with its unknown fields taken from o: empty text, nil pointers and a
// zero NNodes. UID and GID are known in every record.
func (j Job) With(o Job) Job {
	known, more := reflect.ValueOf(&j).Elem(), reflect.ValueOf(o)
	for i := range known.NumField() {
		if f := known.Field(i); f.IsZero() && (f.Kind() == reflect.String || f.Kind() == reflect.Pointer) {
			f.Set(more.Field(i))
		}
	}
	j.NNodes = cmp.Or(j.NNodes, o.NNodes)
	return j.WithFields(o.Fields)
}

// Names of recorded fields. Those that users pass begin with LabelPrefix.
const (
	FieldBuildID      = "build_id"        // of the executable
	FieldCPUModel     = "cpu_model"       // of the first node that recorded it
	FieldThreads      = "omp_num_threads" // OMP_NUM_THREADS, where the job set it
	FieldModules      = "modules"         // LOADEDMODULES, where the user's shell passed it
	FieldSlurmVersion = "slurm_version"   // as scontrol prints it
	FieldCommit       = "commit"          // git commit, from the user
	FieldArguments    = "arguments"       // fingerprint of the command's arguments, 16 hexadecimal digits
	LabelPrefix       = "label."
)

// WithFields returns j with its unknown Fields taken from o. The map of j is not
// changed, because another record may share it.
func (j Job) WithFields(o map[string]string) Job {
	fields := maps.Clone(j.Fields)
	for name, value := range o {
		if value == "" || fields[name] != "" {
			continue
		}
		if fields == nil {
			fields = map[string]string{}
		}
		fields[name] = value
	}
	j.Fields = fields
	return j
}
