package slurm

import (
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"jobgait/agent/job"
	"jobgait/agent/peek"
)

func TestGPUsOfAHook(t *testing.T) {
	const a, b = "GPU-8f0c1f1e-6d4e-11ee-8c99-0242ac120002", "GPU-8f0c1f1e-6d4e-11ee-8c99-0242ac120003"
	for name, c := range map[string]struct {
		env  []string
		want *job.GPUs
	}{
		"none":           {nil, nil},
		"empty":          {[]string{"SLURM_JOB_GPUS="}, nil},
		"no visible GPU": {[]string{"CUDA_VISIBLE_DEVICES=NoDevFiles"}, nil},
		"numbers": {[]string{"SLURM_JOB_GPUS=2,3", "CUDA_VISIBLE_DEVICES=0,1"},
			&job.GPUs{Numbers: []int{2, 3}}},
		"only the maker's": {[]string{"GPU_DEVICE_ORDINAL=1"}, &job.GPUs{Numbers: []int{1}}},
		"names": {[]string{"SLURM_JOB_GPUS=1,0", "CUDA_VISIBLE_DEVICES=" + a + "," + b},
			&job.GPUs{UUIDs: []string{a, b}, Numbers: []int{1, 0}}},
		"a name twice": {[]string{"CUDA_VISIBLE_DEVICES=" + a, "ROCR_VISIBLE_DEVICES=" + a},
			&job.GPUs{UUIDs: []string{a}}},
		"AMD's": {[]string{"SLURM_JOB_GPUS=0", "ROCR_VISIBLE_DEVICES=GPU-4a1b2c3d4e5f6071"},
			&job.GPUs{UUIDs: []string{"GPU-4a1b2c3d4e5f6071"}, Numbers: []int{0}}},
		"parts by MPS": {[]string{"SLURM_JOB_GPUS=0", "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=50"},
			&job.GPUs{Numbers: []int{0}, Parted: "MPS"}},
		"instances": {[]string{"SLURM_JOB_GPUS=4", "CUDA_VISIBLE_DEVICES=MIG-" + a},
			&job.GPUs{UUIDs: []string{"MIG-" + a}, Numbers: []int{4}, Parted: "MIG"}},
		"neither name nor count": {[]string{"SLURM_JOB_GPUS=-1,+2,x,GPU-,GPU-/../../etc", "CUDA_VISIBLE_DEVICES=GPU-a b"},
			nil},
	} {
		if got := parseGPUs(getenv(c.env...)); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	r, err := fromHook(getenv(append(slurm2205, "SLURM_JOB_GPUS=3")...), host, nil)
	if err != nil || r.GPUs == nil || !reflect.DeepEqual(r.GPUs.Numbers, []int{3}) {
		t.Errorf("run %+v, %v", r, err)
	}
}

func FuzzGPUsOfAHook(f *testing.F) {
	f.Add("0,1", "GPU-8f0c1f1e", "50")
	f.Add(strings.Repeat("1,", 200), "MIG-GPU-8f0c/1/0", "")
	f.Fuzz(func(t *testing.T, numbers, names, mps string) {
		g := parseGPUs(getenv("SLURM_JOB_GPUS="+numbers, "CUDA_VISIBLE_DEVICES="+names, "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE="+
			mps))
		if g == nil {
			return
		}
		if len(g.Numbers)+len(g.UUIDs) == 0 || len(g.Numbers) > job.MaxGPUs || len(g.UUIDs) > job.MaxGPUs {
			t.Fatalf("%+v", g)
		}
		for _, s := range g.UUIDs {
			if !strings.HasPrefix(s, "GPU-") && !strings.HasPrefix(s, "MIG-") || strings.ContainsAny(s, ". \x00\n") {
				t.Fatalf("name %q", s)
			}
		}
		for _, n := range g.Numbers {
			if n < 0 {
				t.Fatalf("number %d", n)
			}
		}
	})
}

// A hook sees a shard as a whole GPU: the processes of the job know that it is a shard, and nothing is reported
// for a job without GPUs.
func TestShardsAreKnownToProcesses(t *testing.T) {
	for name, c := range map[string]struct {
		env  string
		gpus *job.GPUs
		want job.Sharing
	}{
		"whole":      {"SLURM_JOB_ID=17\x00SLURM_GPUS_ON_NODE=1\x00", &job.GPUs{Numbers: []int{0}}, job.WholeGPUs},
		"shard":      {"SLURM_JOB_ID=17\x00SLURM_SHARDS_ON_NODE=4\x00", &job.GPUs{Numbers: []int{0}}, job.GPUShares},
		"another's":  {"SLURM_JOB_ID=18\x00SLURM_SHARDS_ON_NODE=4\x00", &job.GPUs{Numbers: []int{0}}, ""},
		"not asked":  {"SLURM_JOB_ID=17\x00", nil, ""},
		"unreadable": {"", &job.GPUs{Numbers: []int{0}}, ""},
	} {
		proc, pid := t.TempDir(), 4711
		dir := filepath.Join(proc, strconv.Itoa(pid))
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "environ"), []byte(c.env), 0o644); err != nil {
			t.Fatal(err)
		}
		r, err := fromHook(getenv("SLURM_JOB_ID=17"), host, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.GPUs = c.gpus
		d := job.NewMembers(proc, peek.Direct{Proc: proc}, r, Scheduler{}).Describe([]int{pid})
		if d.GPUs != c.want {
			t.Errorf("%s: %q, want %q", name, d.GPUs, c.want)
		}
	}
}
