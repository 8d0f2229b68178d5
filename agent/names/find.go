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

// Lookup is places of one file, as a process had it mapped.
type Lookup struct {
	Build   string   `json:"build"` // id in hex, "" if the file has none
	Inode   uint64   `json:"inode"` // 0 where only the build id is known
	PID     int      `json:"pid"`   // of a process that maps it
	Path    string   `json:"path"`  // as that process sees it
	Offsets []uint64 `json:"offsets"`
}

// Answer has the functions around the places of a question.
type Answer struct {
	Functions []Function `json:"functions"`
	// Of is, for each place, the index of its function, -1 for none.
	Of []int `json:"of"`
	// Why the file has no names, "" if it was read.
	Why Reason `json:"why,omitempty"`
}

// Reason is why a file was not read.
type Reason string

// The reasons: it is not there, or not for the user to read; what is there is
// another file or another build; it is no ELF file of 64 bits; it takes more time
// or words than there are.
const (
	NoFile     Reason = "no_file"
	OtherBuild Reason = "other_build"
	NoELF      Reason = "no_elf"
	TooMuch    Reason = "too_much"
)

// roots are where things lie: the kernel's tree of processes, and the
// distribution's debug files.
type roots struct{ proc, debug string }

func system() roots { return roots{"/proc", "/usr/lib/debug/.build-id"} }

// answer finds the file and asks it.
func (s roots) answer(ctx context.Context, q Lookup, steps int) Answer {
	r, why := s.find(q)
	if why != "" {
		return nothing(len(q.Offsets), why)
	}
	defer r.Close()
	f, err := Open(r)
	if err != nil {
		return nothing(len(q.Offsets), NoELF)
	}
	var debug *ELFFile
	if d, err := s.debugFile(q.Build); err == nil {
		defer d.Close()
		if debug, err = Open(d); err != nil {
			debug = nil
		}
	}
	return gather(f.Name(ctx, q.Offsets, debug, steps))
}

// find opens the file that was mapped: as the process sees it, which is right in a
// container, then by its path here, then the program of the process, which may have
// been deleted.
func (s roots) find(q Lookup) (*os.File, Reason) {
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

// buildOf is the build id of a file in hex, "" if it has none.
func buildOf(r *os.File) string {
	id, _ := peek.BuildID(r)
	return hex.EncodeToString(id)
}

// debugFile opens the debug file of a build. It must belong to root and be writable by no other account.
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
// caller closes both.
func DebugOf(r *os.File) (*ELFFile, *os.File) {
	d, err := system().debugFile(buildOf(r))
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

func nothing(places int, why Reason) Answer {
	a := Answer{Functions: []Function{}, Of: make([]int, places), Why: why}
	for i := range a.Of {
		a.Of[i] = -1
	}
	return a
}

// gather lists each function once.
func gather(found []Function) Answer {
	a, index := nothing(len(found), ""), map[Function]int{}
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
