package address

import "jobgait/analysis/anatomy"

// purpose is what the code of a file is for, as far as it shows whether a thread works or waits.
type purpose uint8

const (
	serves       purpose = iota // the C runtime, code that is not known: working and waiting threads use it
	system                      // the kernel, as well
	communicates                // libraries below MPI that wait with the CPU busy
	synchronizes                // the runtime of OpenMP, which waits at its barriers with the CPU busy
	works                       // the program's own code and libraries that do its work
	purposes                    // how many there are
)

// purposeOf returns the purpose of the code of a file, by its base name: synchronizes for OpenMP runtimes,
// communicates for other libraries that wait with the CPU busy, works for the program and libraries that do its work,
// else serves.
func purposeOf(library string) purpose {
	switch {
	case anatomy.ClassOf(library) == anatomy.OpenMP:
		return synchronizes
	case anatomy.WaitsBusily(library):
		return communicates
	case anatomy.IsProgramCode(library):
		return works
	}
	return serves
}

// waits reports whether most time in such code is waiting for others with the CPU busy.
func (p purpose) waits() bool { return p == communicates || p == synchronizes }
