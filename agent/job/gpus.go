package job

// GPUs is which of a node's GPUs a scheduler has given to a run. They are known by the
// makers' own names where the scheduler knows these, else by the numbers of their
// device files; the order in which a library counts them is neither.
type GPUs struct {
	UUIDs   []string `json:"uuids,omitempty"`   // "GPU-..." or "MIG-..."
	Numbers []int    `json:"numbers,omitempty"` // N of /dev/nvidiaN
	// Parted is in which way they are given out in parts, "" if whole: what such a
	// GPU does is not the run's alone.
	Parted string `json:"parted,omitempty"`
}

// MaxGPUs bounds what is believed of a list of them: no node has more.
const MaxGPUs = 64

// Sharing says whether others may have a run's GPUs too.
type Sharing string

// The values of Sharing; "" is not known.
const (
	WholeGPUs Sharing = "whole"
	GPUShares Sharing = "shares"
)
