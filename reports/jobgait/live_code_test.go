package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"debug/elf"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"math/cmplx"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/job/jobtest"
	"jobgait/agent/names"
	"jobgait/analysis/anatomy"
	"jobgait/analysis/summary"
	"jobgait/reports/job"
)

// parts is a program with known shares of CPU time: of each 200 ms of its own CPU time it spends 60 % in one
// function, 30 % in the next and 10 % in the third, each in a separate page. It makes the given number of cycles
// and continues until a file exists.
const parts = `
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#define WORK __attribute__((noinline, aligned(4096)))
static double now(void) { struct timespec t; clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); return t.tv_sec + ` +
	`t.tv_nsec * 1e-9; }
#define BODY(op) { do for (int i = 0; i < 20000; i++) x = x op 1.0000001 + i; while (now() < until); return x; }
DEFINITIONS
int main(int n, char **v) {
	double x = n, t = now();
	for (int k = 0; k < atoi(v[1]) || access(v[2], F_OK); k++, t += .2) {
		x = work_a(x, t + .12);
		x = work_b(x, t + .18);
		x = work_c(x, t + .2);
	}
	printf("%g\n", x);
}
`

const (
	plainParts = `WORK double work_a(double x, double until) BODY(*)
WORK double work_b(double x, double until) BODY(/)
WORK double work_c(double x, double until) BODY(-)`
	templateParts = `template <int N> struct work { WORK static double runJobgait(double x, double until) BODY(N) };
#define work_a work<1>::run
#define work_b work<2>::run
#define work_c work<3>::run`
	openmpParts = `#define OMP(name, op) static double name(double x, double until) {` +
		` _Pragma("omp parallel for reduction(+:x) schedule(static)") for (int k = 0; k < 1; k++) do for (int i = 0; i < ` +
		`20000; i++) x = x op 1.0000001 + i; while (now() < until); return x; }
OMP(work_a, *)
OMP(work_b, /)
OMP(work_c, -)`
	fortranParts = `extern double __work_MOD_work_a(double *, double *), __work_MOD_work_b(double *, double *), ` +
		`__work_MOD_work_c(double *, double *);
static double x_, until_;
#define CALL(name, x, until) (x_ = (x), until_ = (until), __work_MOD_##name(&x_, &until_))
#define work_a(x, until) CALL(work_a, x, until)
#define work_b(x, until) CALL(work_b, x, until)
#define work_c(x, until) CALL(work_c, x, until)`
)

// fortranModule has the three as functions of a module.
func fortranModule() string {
	module := "module work\ncontains\n"
	for name, op := range map[string]string{"work_a": "*", "work_b": "/", "work_c": "-"} {
		module += strings.NewReplacer("NAME", name, "OP", op).Replace(`function NAME(x, until) result(y)
real(8), intent(in) :: x, until
real(8) :: y, t
integer :: i
y = x
do
do i = 1, 20000
y = y OP 1.0000001d0 + i
end do
call cpu_time(t)
if (t >= until) exit
end do
end function
`)
	}
	return module + "end module\n"
}

// kind describes how a program is built, and the names that its three functions then have: none if only their
// bounds remain.
type kind struct {
	name, compiler, source string
	flags                  []string
	after                  string // shell, in the program's directory
	symbols, names         []string
	module                 string // of Fortran, in module.f90
	debug                  bool   // its symbols go to a debug file of the system's
}

func kinds() []kind {
	plain := []string{"work_a", "work_b", "work_c"}
	of := func(name, after string, names []string, flags ...string) kind {
		return kind{name: name, compiler: "gcc", source: plainParts, flags: flags, after: after, symbols: plain, names: names}
	}
	mini := "objcopy --only-keep-debug program debug && objcopy -S --keep-symbol=work_a --keep-symbol=work_b " +
		"--keep-symbol=work_c debug mini && " +
		"xz mini && strip program && objcopy --add-section .gnu_debugdata=mini.xz program"
	return []kind{
		of(".symtab", "", plain),
		of(".dynsym alone", "strip program", plain, "-rdynamic"),
		of(".gnu_debugdata", mini, plain),
		of("bounds alone", "strip program", nil),
		of("static", "", plain, "-static"),
		of("no PIE", "", plain, "-no-pie"),
		of("function sections", "", plain, "-ffunction-sections", "-Wl,--gc-sections"),
		{name: "C++ templates", compiler: "g++",
			source: strings.NewReplacer("BODY(N)",
				"{ do for (int i = 0; i < 20000; i++) x = x * (1 - N * 1e-7) + i; while (now() < until); return x; }").Replace(
				templateParts),
			flags:   []string{"-falign-functions=4096", "-x", "c++"},
			symbols: []string{"_ZN4workILi1EE3runEdd", "_ZN4workILi2EE3runEdd", "_ZN4workILi3EE3runEdd"},
			names:   []string{"work<1>::run", "work<2>::run", "work<3>::run"}},
		{name: "OpenMP", compiler: "gcc", source: openmpParts, flags: []string{"-falign-functions=4096", "-fopenmp"},
			symbols: []string{"work_a._omp_fn.0", "work_b._omp_fn.0", "work_c._omp_fn.0"},
			names:   []string{"work_a._omp_fn.0", "work_b._omp_fn.0", "work_c._omp_fn.0"}},
		{name: "Fortran", compiler: "gfortran", source: fortranParts, flags: []string{"-falign-functions=4096", "module.f90"},
			module:  fortranModule(),
			symbols: []string{"__work_MOD_work_a", "__work_MOD_work_b", "__work_MOD_work_c"},
			names:   []string{"work::work_a", "work::work_b", "work::work_c"}},
		{name: "debug file", compiler: "gcc", source: plainParts, flags: []string{"-Wl,--build-id=sha1"}, symbols: plain,
			names: plain, debug: true},
	}
}

// make compiles the program of a kind into the box's own directory, and returns where in
// its file the three functions start.
func (k kind) make(b box) (starts []uint64) {
	b.t.Helper()
	source := strings.Replace(parts, "DEFINITIONS", k.source, 1)
	if err := os.WriteFile(filepath.Join(b.work, "program.c"), []byte(source), 0o600); err != nil {
		b.t.Fatal(err)
	}
	if k.module != "" {
		if err := os.WriteFile(filepath.Join(b.work, "module.f90"), []byte(k.module), 0o600); err != nil {
			b.t.Fatal(err)
		}
	}
	b.shell(strings.Join(append([]string{k.compiler, "-O1", "-o", "program"}, append(k.flags, "program.c")...), " "))
	f, err := elf.Open(filepath.Join(b.work, "program"))
	if err != nil {
		b.t.Fatal(err)
	}
	defer f.Close()
	list, err := f.Symbols()
	if err != nil {
		b.t.Fatal(err)
	}
	for _, name := range k.symbols {
		i := slices.IndexFunc(list, func(s elf.Symbol) bool { return s.Name == name })
		if i < 0 {
			b.t.Fatalf("%s: there is no %s", k.name, name)
		}
		in := f.Sections[list[i].Section]
		starts = append(starts, list[i].Value-in.Addr+in.Offset)
	}
	if k.after != "" {
		b.shell(k.after)
	}
	if k.debug {
		b.debugFile(f)
	}
	return starts
}

// debugFile strips the program, whose symbols go to where the distribution has them until
// the test is over.
func (b box) debugFile(f *elf.File) {
	b.t.Helper()
	note, err := f.Section(".note.gnu.build-id").Data()
	if err != nil || len(note) != 36 {
		b.t.Fatalf("a build id of %d bytes: %v", len(note), err)
	}
	id := fmt.Sprintf("%x", note[16:])
	dir := filepath.Join("/usr/lib/debug/.build-id", id[:2])
	file := filepath.Join(dir, id[2:]+".debug")
	if err := os.MkdirAll(dir, 0o755); err != nil || unix.Access(dir, unix.W_OK) != nil {
		b.t.Skip("only root has debug files of the system's")
	}
	b.t.Cleanup(func() { _ = os.Remove(file); _ = os.Remove(dir) })
	b.shell("objcopy --only-keep-debug program " + file + " && chmod 644 " + file + " && strip program")
}

// shell runs a line in the box, and skips the test where a tool of it is not available.
func (b box) shell(line string) {
	b.t.Helper()
	for _, part := range strings.Split(line, "&&") {
		if tool := strings.Fields(part)[0]; !installed(tool) {
			b.t.Skipf("no %s here", tool)
		}
	}
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir = b.work
	if out, err := cmd.CombinedOutput(); err != nil {
		b.t.Fatalf("%s: %v\n%s", line, err, out)
	}
}

// sampled skips the test if the kernel does not allow sampling.
func sampled(t *testing.T) {
	t.Helper()
	attr := unix.PerfEventAttr{Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_CPU_CLOCK, Sample: 1e6,
		Bits: unix.PerfBitDisabled | unix.PerfBitExcludeKernel}
	fd, err := unix.PerfEventOpen(&attr, 0, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil {
		t.Skipf("perf events are not permitted here: %v", err)
	}
	_ = unix.Close(fd)
}

func installed(tool string) bool {
	_, err := exec.LookPath(tool)
	return err == nil
}

// known returns the names that the agent of the run has received so far.
func (b box) known() (k names.KnownFunctions) {
	files, _ := filepath.Glob(filepath.Join(filepath.Dir(b.work), ".local/state/jobgait/*/*/"+names.KnownFile))
	if len(files) > 0 {
		if text, err := os.ReadFile(files[len(files)-1]); err == nil {
			_ = json.Unmarshal(text, &k) // what is being written is read again
		}
	}
	return k
}

// watch runs the program of a kind, whose functions are looked up before it ends, and returns its report. On a
// machine without free CPU time the functions may be missing; then it is not checked.
func (k kind) watch(b box, cycles int) job.CodeShares {
	b.t.Helper()
	starts := k.make(b)
	cmd := b.command("run", "--names=all", "--", "./program", fmt.Sprint(cycles), "program")
	cmd.Env = append(b.env, "OMP_NUM_THREADS=1")
	if r := end(b.t, cmd); r.status != 0 {
		b.t.Fatalf("%s%s", r.out, r.complaint)
	}
	if b.known().Lost {
		b.t.Skip("this machine is so busy that the child did not come back in time")
	}
	if !b.asked(starts) {
		b.t.Fatalf("the functions of %s are not known: %+v", k.name, b.known())
	}
	return b.code()
}

// code is what the newest report says of code.
func (b box) code() job.CodeShares {
	b.t.Helper()
	var r struct{ Code *job.CodeShares }
	if b.newest(&r); r.Code == nil {
		b.t.Fatal("the report has no code")
	}
	return *r.Code
}

// three are the functions of a kind in a report: by name, or by size where they have none.
func (k kind) three(c job.CodeShares) (out []job.CodeFunction) {
	for i := range 3 {
		var of []job.CodeFunction
		for _, f := range c.Functions {
			if k.names == nil && f.Full == "" && f.Library == "program" || k.names != nil && string(f.Full) == k.names[i] {
				of = append(of, f)
			}
		}
		if k.names == nil && len(of) > i {
			out = append(out, of[i])
		} else if k.names != nil && len(of) == 1 {
			out = append(out, of[0])
		}
	}
	return out
}

// off is how far the shares of the three are off 60, 30 and 10, the worst, in points of
// their own sum; the kernel is interrupts.
func off(three []job.CodeFunction) (worst float64) {
	sum := 0.0
	for _, f := range three {
		sum += f.Share
	}
	for i, want := range []float64{60, 30, 10} {
		worst = max(worst, math.Abs(100*three[i].Share/sum-want))
	}
	return worst
}

// misplaced is how far the middles of the second and third function lie off theirs
// behind the first, the worst, in bins; false where no cycle was seen.
func misplaced(three []job.CodeFunction) (worst float64, ok bool) {
	middle := func(f job.CodeFunction) float64 {
		var sum complex128
		for i, v := range f.Within {
			sum += complex(v, 0) * cmplx.Rect(1, 2*math.Pi*(float64(i)+.5)/anatomy.Bins)
		}
		return cmplx.Phase(sum) / (2 * math.Pi) * anatomy.Bins
	}
	for i, want := range []float64{0, .45, .65} { // 30, 75 and 95 % of the cycle
		if len(three[i].Within) != anatomy.Bins {
			return 0, false
		}
		d := middle(three[i]) - middle(three[0]) - want*anatomy.Bins
		worst = max(worst, math.Abs(math.Remainder(d, anatomy.Bins)))
	}
	return worst, true
}

// The shares of three functions are those that their program gives them, whatever
// symbols it has. Few cycles are few samples: the 6 points are five times the scatter of
// 2000, the 1.5 of the many rounds three times that of 10,000.
func TestLiveCodeOfKnownShares(t *testing.T) {
	byHand(t)
	sampled(t)
	rounds, many := jobtest.Rounds(1), os.Getenv("JOBGAIT_ROUNDS") != ""
	cycles, maxPoints, all := 10, 6.0, kinds()[:4]
	if many {
		cycles, maxPoints, all = 50, 1.5, kinds()
		fmt.Println("| symbols | runs | worst share off, points | runs with cycles, of these within a bin | worst place " +
			"off, bins |\n|---|---|---|---|---|")
	}
	for _, k := range all {
		t.Run(k.name, func(t *testing.T) {
			runs, shares, seen, placed, bins := 0, 0.0, 0, 0, 0.0
			for range rounds {
				b := newBox(t)
				c := k.watch(b, cycles)
				three := k.three(c)
				if len(three) != 3 {
					t.Fatalf("the three are not distinguished: %+v", c.Functions)
				}
				runs++
				shares = max(shares, off(three))
				if o := off(three); o > maxPoints {
					t.Errorf("%.2f points off: %+v", o, three)
				}
				if worst, ok := misplaced(three); ok {
					seen++
					bins = max(bins, worst)
					if worst <= 1 {
						placed++
					}
				}
			}
			if many {
				fmt.Printf("| %s | %d | %.2f | %d, %d | %.2f |\n", k.name, runs, shares, seen, placed, bins)
			}
			t.Logf("%s: %d runs, %.2f points off, %d with cycles, %d placed, %.2f bins off", k.name, runs, shares, seen, placed,
				bins)
		})
	}
}

// onePage is a program whose three functions follow each other within 310 bytes.
func onePage() kind {
	k := kinds()[0]
	k.name = "one page"
	k.source = "#undef WORK\n#define WORK __attribute__((noinline))\n" + k.source
	return k
}

// strays returns the largest part of a function's time in a cycle that is more than a bin outside the function's
// stretch: the first 60 % for the first, 30 % for the second, 10 % for the third, counted from where the first
// begins.
func strays(three []job.CodeFunction) (worst float64) {
	begin, best := 0, 0.0
	for from := range anatomy.Bins {
		sum := 0.0
		for i := range anatomy.Bins * 6 / 10 {
			sum += three[0].Within[(from+i)%anatomy.Bins]
		}
		if sum > best {
			begin, best = from, sum
		}
	}
	for i, f := range three {
		from, to := []float64{0, .6, .9}[i]*anatomy.Bins-1, []float64{.6, .9, 1}[i]*anatomy.Bins+1
		out, all := 0.0, 0.0
		for k := range anatomy.Bins {
			v, middle := f.Within[(begin+k)%anatomy.Bins], float64(k)+.5
			in := func(turn float64) bool { return from <= middle+turn && middle+turn <= to }
			if all += v; !in(0) && !in(anatomy.Bins) && !in(-anatomy.Bins) {
				out += v
			}
		}
		worst = max(worst, out/all)
	}
	return worst
}

// TestLiveFunctionsOfOnePage runs three functions that follow each other in every cycle and lie within 310 bytes of
// code. Each is within its own stretch of the cycle, and no line says that they are not separated.
func TestLiveFunctionsOfOnePage(t *testing.T) {
	byHand(t)
	sampled(t)
	rounds, good := jobtest.Rounds(1), 0
	for range rounds {
		b, k := newBox(t), onePage()
		starts := k.make(b)
		if starts[2]-starts[0] > 310 {
			t.Fatalf("the functions lie %d bytes apart", starts[2]-starts[0])
		}
		three := k.three(k.watch(b, 50))
		if len(three) != 3 {
			t.Fatalf("the three are not listed: %+v", three)
		}
		worst, placed := misplaced(three)
		if !placed {
			t.Errorf("not separated: %+v", three)
			continue
		}
		out := strays(three)
		t.Logf("middles %.2f bins off, %.1f %% outside of the own stretch, shares %.2f points off", worst, 100*out,
			off(three))
		if worst > 1 || out > .15 {
			t.Errorf("%.2f bins off, %.1f %% outside of the own stretch: %+v", worst, 100*out, three)
			continue
		}
		good++
	}
	t.Logf("%d of %d runs", good, rounds)
}

// With names off no written file contains a function's name, neither while the program runs nor after. The
// first round shows that all files are searched.
func TestLiveNamesOff(t *testing.T) {
	byHand(t)
	sampled(t)
	const canary = "canary_of_names"
	for _, detail := range []string{"all", "libraries", "off"} {
		b := newBox(t)
		k := kinds()[0]
		k.source = strings.Replace(k.source, "work_a", canary, 1) + "\n#define work_a " + canary
		k.symbols = []string{canary, "work_b", "work_c"}
		k.make(b)
		if err := os.Rename(filepath.Join(b.work, "program.c"), filepath.Join(t.TempDir(), "program.c")); err != nil {
			t.Fatal(err)
		}
		found := b.searched(canary, b.command("run", "--names="+detail, "--", "./program", "10", "program"))
		if b.known().Lost {
			t.Skip("this machine is so busy that the child did not come back in time")
		}
		if r := end(t, b.command("list", "--json")); !strings.Contains(r.out, `"job_id"`) {
			t.Errorf("names %s: the run is not stored: %s%s", detail, r.out, r.complaint)
		}
		for _, args := range [][]string{{"show", "--last", "--json"}, {"list", "--json"}, {"changes", "--json"}} {
			if r := end(t, b.command(args...)); strings.Contains(r.out+r.complaint, canary) {
				found["jobgait "+args[0]] = true
			}
		}
		if detail != "all" {
			if len(found) > 0 {
				t.Errorf("names %s: the canary is in %v", detail, slices.Sorted(maps.Keys(found)))
			}
			continue
		}
		for _, in := range []string{"names.json", "record.json.gz", "history.db", ".txt", ".html", ".json", "jobgait show"} {
			if !slices.ContainsFunc(slices.Collect(maps.Keys(found)), func(file string) bool {
				return strings.HasSuffix(file, in)
			}) {
				t.Errorf("names %s: the canary is not in %s: %v", detail, in, slices.Sorted(maps.Keys(found)))
			}
		}
	}
}

// searched runs a command, and searches all files for a word while it runs and after.
func (b box) searched(word string, cmd *exec.Cmd) map[string]bool {
	b.t.Helper()
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	found := map[string]bool{}
	for {
		b.find(word, found)
		select {
		case err := <-ended:
			if err != nil {
				b.t.Fatal(err)
			}
			b.find(word, found)
			return found
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// asked reports whether the names of the functions at these starts are known.
func (b box) asked(starts []uint64) bool {
	return slices.ContainsFunc(b.known().Files, func(f names.FileFunctions) bool {
		return !slices.ContainsFunc(starts, func(at uint64) bool {
			return !slices.ContainsFunc(f.Functions, func(x names.Function) bool { return x.Start == at })
		})
	})
}

// find searches all files of the box, except the program, for a word, including compressed files.
func (b box) find(word string, found map[string]bool) {
	home := filepath.Dir(b.work)
	err := filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it was there a moment ago
		}
		if err != nil || !d.Type().IsRegular() || d.Name() == "program" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil
		}
		if more, err := unpacked(text); err == nil {
			text = append(text, more...)
		}
		if bytes.Contains(text, []byte(word)) {
			found[strings.TrimPrefix(path, home)] = true
		}
		return nil
	})
	if err != nil {
		b.t.Fatal(err)
	}
}

// melt is LAMMPS's example of a liquid, 8000 atoms; it takes 10 s of CPU time.
const melt = `units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 20 0 20 0 5
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify delay 0 every 20 check no
fix 1 all nve
thermo 100
timer full
run 2000
`

// record is what the node recorded of the run.
func (b box) record() (r summary.NodeRecord) {
	b.t.Helper()
	dirs, _ := filepath.Glob(filepath.Join(filepath.Dir(b.work), ".local/state/jobgait/*/*/"))
	for _, dir := range dirs {
		text, err := os.ReadFile(filepath.Join(dir, "record.json.gz"))
		if err != nil {
			continue
		}
		if text, err = unpacked(text); err == nil {
			r, err = summary.DecodeNode(text)
		}
		if err != nil || r.Code == nil {
			b.t.Fatalf("%s: %v, code %v", dir, err, r.Code != nil)
		}
		return r
	}
	b.t.Fatalf("no record in %v", dirs)
	return r
}

func unpacked(b []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// loggedTimes reads the CPU seconds of LAMMPS's parts out of its log: the seconds of the
// clock by the part's own use of a CPU. "Other" has the use of the whole.
func loggedTimes(t *testing.T, log string) (times map[string]float64, all float64) {
	t.Helper()
	times = map[string]float64{}
	whole := regexp.MustCompile(`(?m)^([\d.]+)% CPU use`).FindStringSubmatch(log)
	if whole == nil {
		t.Fatalf("no use of the CPU in the log: %s", log)
	}
	for _, m := range regexp.MustCompile(
		`(?m)^(\w+) +\|[^|]*\| *([\d.e-]+) *\|[^|]*\|[^|]*\| *([\d.]*) *\| *[\d.]+$`).FindAllStringSubmatch(log, -1) {
		clock, err := strconv.ParseFloat(m[2], 64)
		use, _ := strconv.ParseFloat(cmp.Or(m[3], whole[1]), 64)
		if err != nil {
			t.Fatalf("%s: %v", m[0], err)
		}
		times[m[1]] = clock * use
		all += clock * use
	}
	return times, all
}

// LAMMPS times its own parts: the functions of pairs and neighbors have their shares. Its log contains shares
// of elapsed time, which differ if the CPU is taken away while one of them computes. With "timer full" it also
// contains the CPU time of each in user mode; this is compared with jobgait's shares without the kernel.
func TestLiveCodeAgainstLAMMPS(t *testing.T) {
	byHand(t)
	sampled(t)
	if !installed("lmp") {
		t.Skip("no lmp here: lammps is the package")
	}
	b := newBox(t)
	if err := os.WriteFile(filepath.Join(b.work, "in.melt"), []byte(melt), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := b.command("run", "--names=all", "--", "lmp", "-in", "in.melt", "-log", "log.lammps")
	cmd.Env = append(b.env, "OMP_NUM_THREADS=1", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
	if r := end(t, cmd); r.status.ExitStatus() != 0 {
		t.Fatalf("%s%s", r.out, r.complaint)
	}
	text, err := os.ReadFile(filepath.Join(b.work, "log.lammps"))
	if err != nil {
		t.Fatal(err)
	}
	if b.known().Lost {
		t.Skip("this machine is so busy that the child did not come back in time")
	}
	record := b.record()
	split := record.Code.Run
	if len(record.Patterns) > 0 {
		if c := record.Code.CycleOf(record.Patterns[0].ID); c != nil {
			split = c.Split
		}
	}
	own := 1.0
	for _, c := range split.Classes {
		if c.Name == string(anatomy.Kernel) {
			own -= c.Share
		}
	}
	times, all := loggedTimes(t, string(text))
	for _, part := range []string{"Pair", "Neigh"} {
		want, got := 100*times[part]/all, 0.0
		for _, f := range split.Functions {
			if partOf(f.Name) == part {
				got += 100 * f.Share / own
			}
		}
		fmt.Printf("LAMMPS: %s %.2f %% by its log, %.2f %% by jobgait, of %d samples, kernel %.2f %%\n", part, want, got,
			record.Code.Samples, 100-100*own)
		if !(math.Abs(got-want) <= 2) {
			t.Errorf("%s: %.2f %%, its log has %.2f", part, got, want)
		}
	}
}

// partOf returns the heading under which LAMMPS times a function, "" for neither of the two.
func partOf(name string) string {
	name = strings.TrimPrefix(name, "LAMMPS_NS::")
	for _, p := range [][2]string{{"Pair", "Pair"}, {"NPair", "Neigh"}, {"NBin", "Neigh"}, {"NStencil", "Neigh"},
		{"Neigh", "Neigh"}} {
		if strings.HasPrefix(name, p[0]) {
			return p[1]
		}
	}
	return ""
}
