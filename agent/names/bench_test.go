package names

import (
	"debug/elf"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"jobgait/agent/profile"

	"golang.org/x/sys/unix"
)

// BenchmarkTwentyLibraries looks up thirty places in each of the twenty largest libraries of the distribution
// that are installed. The CPU time is that of the child, without its start.
func BenchmarkTwentyLibraries(b *testing.B) {
	paths, _ := filepath.Glob("/usr/lib/*-linux-gnu/*.so.*")
	type library struct {
		size int64
		q    Lookup
	}
	var all []library
	for _, path := range paths {
		var st unix.Stat_t
		if unix.Lstat(path, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
			continue
		}
		f, err := elf.Open(path)
		if err != nil {
			continue
		}
		r, err := os.Open(path)
		if text := f.Section(".text"); err == nil && text != nil && text.Size > 0 {
			q := Lookup{Build: buildOf(r), Inode: st.Ino, PID: os.Getpid(), Path: path}
			for i := range uint64(30) {
				q.Offsets = append(q.Offsets, (text.Offset+i*text.Size/30)&^(profile.PlaceBytes-1))
			}
			all = append(all, library{st.Size, q})
		}
		_ = r.Close()
		_ = f.Close()
	}
	slices.SortFunc(all, func(x, y library) int { return int(y.size - x.size) })
	if len(all) < 20 {
		b.Skipf("%d libraries are here", len(all))
	}
	named, places := 0, 0
	for b.Loop() {
		named, places = 0, 0
		for _, l := range all[:20] {
			a := systemRoots().lookUp(b.Context(), l.q, MaxSteps)
			places += len(a.Of)
			for _, k := range a.Of {
				if k >= 0 {
					named++
				}
			}
		}
	}
	b.ReportMetric(float64(named), "named")
	b.ReportMetric(float64(places), "places")
}
