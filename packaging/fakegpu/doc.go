// Package fakegpu tests what a report says of a GPU against a GPU of known truth: `jobgait run` of
// a job in step with the fake library, which takes the CPU time that NVIDIA's takes on an H200.
// Duty cycles and lengths of cycles come in (-args -duties -periods); one line a job with the truth
// and the report's value goes out, as in agent/counter/gpu/MEASURED.md. There is no code but tests.
//
// It needs root, since it makes device files in a mount namespace of its own, gcc and JOBGAIT_GPU=run, and
// takes four minutes on two CPUs: TestTable is run by hand (make -C packaging fakegpu). In `make test`,
// TestGPUsOfProfiles of package finish and TestCPUTimeOfTheHelper check the same figures.
package fakegpu
