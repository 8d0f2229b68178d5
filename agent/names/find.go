package names

import (
	"context"
	"encoding/hex"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"

	"jobgait/agent/peek"
)

// Lookup is a request: find the functions at places of one file, as a process had it mapped.
type Lookup struct {
	Build   string   `json:"build"` // id in hex, "" if the file has none
	Inode   uint64   `json:"inode"` // 0 if only the build id is known
	PID     int      `json:"pid"`   // of a process that maps it
	Path    string   `json:"path"`  // as that process sees it
	Offsets []uint64 `json:"offsets"`
}

// Answer has the functions around the places of a Lookup.
type Answer struct {
	Functions []Function `json:"functions"`
	// Of is, for each place, the index of its function, -1 for none.
	Of []int `json:"of"`
	// Why says why the file has no names, "" if it was read.
	Why Reason `json:"why,omitempty"`
}

// Reason says why a file was not read.
type Reason string

// The reasons: the file does not exist or the user may not read it; it is another file or another build; it is
// not a 64-bit ELF file; reading it would exceed the limit of time or output.
const (
	NoFile     Reason = "no_file"
	OtherBuild Reason = "other_build"
	NoELF      Reason = "no_elf"
	TooMuch    Reason = "too_much"
)

// roots are the directories of processes (/proc) and of the distribution's debug files.
type roots struct{ proc, debug string }

// systemRoots returns the directories of this machine.
func systemRoots() roots { return roots{"/proc", "/usr/lib/debug/.build-id"} }

// lookUp opens the mapped file and returns the functions at the places, within a number of steps.
func (s roots) lookUp(ctx context.Context, q Lookup, steps int) Answer {
	if q.Path == peek.VDSO {
		f, err := OpenVDSO()
		if err != nil {
			return emptyAnswer(len(q.Offsets), NoELF)
		}
		return answerFrom(f.Name(ctx, q.Offsets, nil, steps))
	}
	r, why := s.openMapped(q)
	if why != "" {
		return emptyAnswer(len(q.Offsets), why)
	}
	defer r.Close()
	f, err := Open(r)
	if err != nil {
		return emptyAnswer(len(q.Offsets), NoELF)
	}
	var debug *ELFFile
	if d, err := s.debugFile(q.Build); err == nil {
		defer d.Close()
		if debug, err = Open(d); err != nil {
			debug = nil
		}
	}
	return answerFrom(f.Name(ctx, q.Offsets, debug, steps))
}

// openMapped opens the file that was mapped: by its path in the process's root directory, which differs in a
// container, else by its path here, else by the link to the process's program, which may have been deleted. The
// build id must match, and the inode unless it is 0.
func (s roots) openMapped(q Lookup) (*os.File, Reason) {
	dir, why := filepath.Join(s.proc, strconv.Itoa(q.PID)), NoFile
	if !filepath.IsAbs(q.Path) || q.Inode == 0 && q.Build == "" {
		return nil, NoFile
	}
	for _, path := range []string{filepath.Join(dir, "root") + q.Path, q.Path, filepath.Join(dir, "exe")} {
		r, err := peek.OpenRegular(path, func(st unix.Stat_t) bool { return q.Inode == 0 || st.Ino == q.Inode })
		if err != nil {
			continue
		}
		if buildOf(r) == q.Build {
			return r, ""
		}
		_ = r.Close()
		why = OtherBuild
	}
	return nil, why
}

// buildOf returns the build id of a file in hex, "" if it has none.
func buildOf(r *os.File) string {
	id, _ := peek.BuildID(r)
	return hex.EncodeToString(id)
}

// debugFile opens the debug file of a build. It must belong to root and be writable by no other account. If
// the build has no such file, or the file is of another build, the error is os.ErrNotExist.
func (s roots) debugFile(build string) (*os.File, error) {
	if len(build) < 4 {
		return nil, os.ErrNotExist
	}
	r, err := peek.OpenRegular(filepath.Join(s.debug, build[:2], build[2:]+".debug"), func(st unix.Stat_t) bool {
		return st.Uid == 0 && st.Mode&0o022 == 0
	})
	if err == nil && buildOf(r) != build {
		_ = r.Close()
		return nil, os.ErrNotExist
	}
	return r, err
}

// DebugOf opens the symbols of the distribution's debug file of the same build as a file, nil without one. The
// caller closes the returned file.
func DebugOf(r *os.File) (*ELFFile, *os.File) {
	d, err := systemRoots().debugFile(buildOf(r))
	if err != nil {
		return nil, nil
	}
	f, err := Open(d)
	if err != nil {
		_ = d.Close()
		return nil, nil
	}
	return f, d
}

// emptyAnswer returns an answer without functions, and why.
func emptyAnswer(places int, why Reason) Answer {
	a := Answer{Functions: []Function{}, Of: make([]int, places), Why: why}
	for i := range a.Of {
		a.Of[i] = -1
	}
	return a
}

// answerFrom returns the answer for the functions found at each place, listing each function once.
func answerFrom(found []Function) Answer {
	a, index := emptyAnswer(len(found), ""), map[Function]int{}
	for i, f := range found {
		if f == (Function{}) {
			continue
		}
		k, ok := index[f]
		if !ok {
			k = len(a.Functions)
			index[f] = k
			a.Functions = append(a.Functions, f)
		}
		a.Of[i] = k
	}
	return a
}
