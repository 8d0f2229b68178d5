package run

// Program is what one program of a run did on a node: all processes that executed it.
type Program struct {
	// Name is the base name of its file.
	Name string `json:"name"`
	// Started is how many processes executed it, as far as they were seen.
	Started int `json:"started"`
	// FirstS and LastS are when the first of them was seen and the last one ran, in seconds since the run began.
	FirstS float64 `json:"first_s"`
	LastS  float64 `json:"last_s"`
	// Share is its part of the sampled CPU time of the run, 0 to 1.
	Share float64 `json:"share"`
	// StripStartS and StripStepS say when the bins of Strip are. Strip is how much CPU time the program used in each
	// bin, as a part of the most that any program used in one.
	StripStartS float64   `json:"strip_start_s"`
	StripStepS  float64   `json:"strip_step_s"`
	Strip       []float64 `json:"strip"`
}

// MostPrograms bounds the programs of a node that are recorded.
const MostPrograms = 16
