package main

import (
	"cmp"
	"debug/elf"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/names"
	"jobgait/analysis/anatomy"
)

// hydro is C++ with MPI: two ranks of unequal work that spin while they wait.
const hydro = `
#include <mpi.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>
namespace hydro {
template <typename T> struct Field {
  int nx, ny; std::vector<T> v;
  Field(int x, int y) : nx(x), ny(y), v((x + 2) * (y + 2), T(1)) {}
  T &at(int i, int j) { return v[(j + 1) * (nx + 2) + i + 1]; }
};
template <typename T> __attribute__((noinline)) void computeFlux(Field<T> &u, Field<T> &f) {
  for (int j = 0; j < u.ny; j++) for (int i = 0; i < u.nx; i++) {
    T a = u.at(i, j), b = u.at(i + 1, j);
    f.at(i, j) = std::sqrt(a * a + T(1e-3)) * (b - a) + T(0.3) * (u.at(i, j + 1) - a) / (T(1) + std::fabs(b));
  }
}
template <typename T> __attribute__((noinline)) void updateState(Field<T> &u, Field<T> &f, T dt) {
  for (int j = 0; j < u.ny; j++) for (int i = 0; i < u.nx; i++) u.at(i, j) += dt * (f.at(i, j) - f.at(i - 1, j));
}
struct EquationOfState {
  __attribute__((noinline)) double soundSpeed(Field<double> &u) {
    double m = 0;
    for (int j = 0; j < u.ny; j++) for (int i = 0; i < u.nx; i++) m = std::max(m, std::pow(std::fabs(u.at(i, j)) +
        1.0, 1.4));
    return m;
  }
};
}
using namespace hydro;
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, n;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank); MPI_Comm_size(MPI_COMM_WORLD, &n);
  Field<double> u(600, rank ? 350 : 450), f(600, rank ? 350 : 450);
  EquationOfState eos;
  for (int s = 0; s < atoi(argv[1]); s++) {
    MPI_Sendrecv(&u.at(-1, u.ny - 1), u.nx + 2, MPI_DOUBLE, (rank + 1) % n, 0, &u.at(-1, -1), u.nx + 2, MPI_DOUBLE,
        (rank + n - 1) % n, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    computeFlux(u, f);
    updateState(u, f, 0.01);
    double g, c = s % 2 ? 0 : eos.soundSpeed(u);
    MPI_Allreduce(&c, &g, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  }
  MPI_Finalize();
}
`

// dense is Fortran with OpenBLAS.
const dense = `
module physics
contains
  subroutine smooth(a, b, n)
    integer :: n, i, j
    real(8) :: a(n,n), b(n,n)
    do j = 2, n-1
      do i = 2, n-1
        b(i,j) = 0.25d0*(a(i-1,j)+a(i+1,j)+a(i,j-1)+a(i,j+1)) + exp(-abs(a(i,j)))*1d-3
      end do
    end do
  end subroutine
end module
program main
  use physics
  implicit none
  integer, parameter :: n = 600
  real(8) :: a(n,n), b(n,n), c(n,n)
  integer :: s, ipiv(n), info, steps
  character(20) :: arg
  call get_command_argument(1, arg)
  read(arg,*) steps
  call random_number(a)
  do s = 1, steps
    call smooth(a, b, n)
    call dgemm('N','N',n,n,n,1d0,a,n,b,n,0d0,c,n)
    c = c / maxval(abs(c))
    if (mod(s,4) == 0) then
      b = c
      do info = 1, n
        b(info,info) = b(info,info) + 10
      end do
      call dgetrf(n,n,b,n,ipiv,info)
    end if
    a = 0.5d0*a + 0.5d0*c
  end do
  print *, sum(a)
end program
`

// against is a program that perf and jobgait profile at the same time.
type against struct {
	name, source, file, build string
	run                       string
	needs                     []string
}

func watchedByBoth() []against {
	return []against{
		{"LAMMPS", melt, "in.melt", "", "lmp -in in.melt -log none", []string{"lmp"}},
		{"C++ and MPI", hydro, "hydro.cpp", "mpic++ -O2 -o hydro hydro.cpp", "mpirun --oversubscribe -np 2 ./hydro 1000",
			[]string{"mpic++", "mpirun"}},
		{"Fortran and OpenBLAS", dense, "dense.f90", "gfortran -O2 -o dense dense.f90 -lopenblas", "./dense 250",
			[]string{"gfortran"}},
	}
}

// Each of the ten functions that perf sees most has the share that it has there, within 2
// points, in the same processes at the same time. The kernel is apart: with interrupts
// off neither of the two samples.
func TestLiveCodeAgainstPerf(t *testing.T) {
	byHand(t)
	sampled(t)
	if !installed("perf") {
		t.Skip("no perf here: linux-perf is the package")
	}
	for _, a := range watchedByBoth() {
		t.Run(a.name, func(t *testing.T) {
			for _, tool := range a.needs {
				if !installed(tool) {
					t.Skipf("no %s here", tool)
				}
			}
			b := newBox(t)
			seen, err := a.watch(b)
			if err != nil {
				t.Skipf("perf fails here: %v", err)
			}
			if b.known().Lost {
				t.Skip("this machine is so busy that the child did not come back in time")
			}
			b.compare(a.name, seen)
		})
	}
}

// watch runs the program under both profilers, and returns what perf saw. perf records build ids with its
// mappings: if another event, such as jobgait's, has them, the kernel marks all mappings as having one, and
// perf 6.1 aborts when it reads a missing one.
func (a against) watch(b box) ([]perfFunction, error) {
	b.t.Helper()
	if err := os.WriteFile(filepath.Join(b.work, a.file), []byte(a.source), 0o600); err != nil {
		b.t.Fatal(err)
	}
	if a.build != "" {
		b.shell(a.build)
	}
	cmd := b.command("run", "--names=all", "--", "sh", "-c",
		"echo $$ >pid.new; mv pid.new pid; until [ -e go ]; do sleep .1; done; exec "+a.run)
	cmd.Env = append(b.env, "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "OMPI_ALLOW_RUN_AS_ROOT=1",
		"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	in := func(name string) string { return filepath.Join(b.work, name) }
	poll(b.t, "the program waits", func() bool { _, err := os.Stat(in("pid")); return err == nil })
	pid, _ := os.ReadFile(in("pid"))
	perf := exec.Command("perf", "record", "-q", "-e", "cpu-clock:u", "-F", "999", "--buildid-mmap", "--delay=-1",
		"--control=fifo:"+in("control")+","+in("done"), "-o", in("perf.data"), "-p", strings.TrimSpace(string(pid)))
	control, done := fifo(b.t, in("control")), fifo(b.t, in("done"))
	if err := perf.Start(); err != nil {
		b.t.Fatal(err)
	}
	// perf does not know mappings made before it was enabled.
	_, _ = control.WriteString("enable\n")
	ack := make([]byte, 8)
	if _, err := done.Read(ack); err != nil {
		b.t.Fatalf("perf does not begin: %v", err)
	}
	if err := os.WriteFile(in("go"), nil, 0o600); err != nil {
		b.t.Fatal(err)
	}
	failed := cmd.Wait()
	if err := perf.Wait(); err != nil {
		return nil, err
	}
	if failed != nil {
		b.t.Fatal(failed)
	}
	out, err := exec.Command("perf", "script", "-i", in("perf.data"), "-F", "ip,sym,dso", "--no-inline",
		"--no-demangle").Output()
	return parsePerf(string(out)), err
}

// fifo makes one, of which each read ends within a minute.
func fifo(t *testing.T, path string) *os.File {
	t.Helper()
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err == nil {
		err = f.SetDeadline(time.Now().Add(time.Minute))
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// perfFunction is a symbol, "" for code without one, with the samples in it.
type perfFunction struct {
	symbol, path string
	samples      float64
}

// parsePerf counts lines of "address symbol (file)", most first.
func parsePerf(out string) (list []perfFunction) {
	at := map[perfFunction]int{}
	for line := range strings.Lines(out) {
		f := strings.Fields(line)
		if len(f) < 3 {
			continue
		}
		x := perfFunction{symbol: f[1], path: strings.Trim(f[len(f)-1], "()")}
		if x.symbol == "[unknown]" {
			x.symbol = ""
		} else if strings.HasSuffix(x.symbol, "@plt") {
			x.symbol = "[plt]"
		}
		if _, ok := at[x]; !ok {
			at[x] = len(list)
			list = append(list, x)
		}
		list[at[x]].samples++
	}
	slices.SortStableFunc(list, func(a, b perfFunction) int { return cmp.Compare(b.samples, a.samples) })
	return list
}

// compare holds the ten that perf saw most against the report's record.
func (b box) compare(name string, seen []perfFunction) {
	run := b.record().Code
	own, all := 1.0, 0.0
	for _, c := range run.Run.Classes {
		if c.Name == string(anatomy.Kernel) {
			own -= c.Share
		}
	}
	for _, f := range seen {
		all += f.samples
	}
	sampled := float64(run.Samples) * own
	if all < 2000 || sampled < 2000 {
		b.t.Fatalf("%.0f samples of perf, %.0f of jobgait: too few", all, sampled)
	}
	worst, z := 0.0, 0.0
	for _, f := range seen[:min(10, len(seen))] {
		also, got := f.aliases(), 0.0
		for _, x := range run.Run.Functions {
			if x.Library == filepath.Base(f.path) && slices.Contains(also, x.Name) {
				got += x.Share / own
			}
		}
		want := f.samples / all
		mean := (f.samples + got*sampled) / (all + sampled)
		deviates := (got - want) / math.Sqrt(mean*(1-mean)*(1/all+1/sampled))
		b.t.Logf("%-40s %-24s perf %5.2f %%, jobgait %5.2f, z %.1f", cmp.Or(names.ReadableName(f.symbol), "unnamed"),
			filepath.Base(f.path), 100*want, 100*got, deviates)
		if worst, z = max(worst, 100*math.Abs(got-want)), max(z, math.Abs(deviates)); math.Abs(got-want) > .02 {
			b.t.Errorf("%s of %s: %.2f %% of the time by perf, %.2f by sampled", f.symbol, f.path, 100*want, 100*got)
		}
	}
	fmt.Printf("| %s | %.0f, %.0f | %.2f | %.1f |\n", name, all, sampled, worst, z)
}

// aliases returns the names of a symbol and of the others at the same address, any of which may be reported.
func (f perfFunction) aliases() []string {
	out := []string{f.symbol, names.ReadableName(f.symbol)}
	var list []elf.Symbol
	build := ""
	if x, err := elf.Open(f.path); err == nil {
		list = symbolsOf(x)
		if s := x.Section(".note.gnu.build-id"); s != nil {
			if id, err := s.Data(); err == nil && len(id) > 17 {
				build = hex.EncodeToString(id[16:])
			}
		}
		_ = x.Close()
	}
	if build != "" {
		if x, err := elf.Open(filepath.Join("/usr/lib/debug/.build-id", build[:2], build[2:]+".debug")); err == nil {
			list = append(list, symbolsOf(x)...)
			_ = x.Close()
		}
	}
	bare := func(name string) string { name, _, _ = strings.Cut(name, "@"); return name }
	at := map[uint64]bool{}
	for _, s := range list {
		if s.Value != 0 && bare(s.Name) == bare(f.symbol) {
			at[s.Value] = true
		}
	}
	for _, s := range list {
		if at[s.Value] {
			out = append(out, names.ReadableName(s.Name))
		}
	}
	return out
}

func symbolsOf(x *elf.File) []elf.Symbol {
	list, _ := x.Symbols()
	exports, _ := x.DynamicSymbols()
	return append(list, exports...)
}
