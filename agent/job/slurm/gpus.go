package slurm

import (
	"regexp"
	"slices"
	"strings"

	"jobgait/agent/job"
)

// gpuLists returns the variables in which a hook finds the job's GPUs: Slurm's own, with numbers, and the
// makers', set if gres.conf requires them, with GPU names if Slurm knows them. In a hook the numbers are those
// of the node's devices; in the job they may begin at 0.
func gpuLists() []string {
	return []string{"SLURM_JOB_GPUS", "CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL",
		"ZE_AFFINITY_MASK"}
}

// gpuName matches the name of a GPU or of a MIG instance as the libraries of NVIDIA and AMD write it.
var gpuName = regexp.MustCompile(`^(?:GPU|MIG)-[0-9A-Za-z][0-9A-Za-z/-]{0,79}$`)

// parseGPUs returns the GPUs in a hook's environment, nil without any: the names in all lists, and the numbers in the
// first list that has any. Parted is "MPS" if the job has a share of a GPU by MPS, "MIG" if it has an instance.
func parseGPUs(getenv func(string) string) *job.GPUs {
	var g job.GPUs
	for _, name := range gpuLists() {
		var numbers []int
		for _, item := range strings.SplitN(getenv(name), ",", job.MaxGPUs+1) {
			item = strings.TrimSpace(item)
			if gpuName.MatchString(item) && !slices.Contains(g.UUIDs, item) && len(g.UUIDs) < job.MaxGPUs {
				g.UUIDs = append(g.UUIDs, item)
			} else if n, ok := job.ParseCount(item); ok && !slices.Contains(numbers, n) && len(numbers) < job.MaxGPUs {
				numbers = append(numbers, n)
			}
		}
		if g.Numbers == nil {
			g.Numbers = numbers
		}
	}
	instance := func(name string) bool { return strings.HasPrefix(name, "MIG-") }
	switch {
	case len(g.UUIDs) == 0 && len(g.Numbers) == 0:
		return nil
	case getenv("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE") != "":
		g.Parted = "MPS"
	case slices.ContainsFunc(g.UUIDs, instance):
		g.Parted = "MIG"
	}
	return &g
}

// gpuSharing returns, from the environment of a job's process, whether its GPUs are shared: a hook's
// environment shows a shard like a whole GPU.
func gpuSharing(env map[string]string) job.Sharing {
	if env["SLURM_SHARDS_ON_NODE"] != "" {
		return job.GPUShares
	}
	return job.WholeGPUs
}
