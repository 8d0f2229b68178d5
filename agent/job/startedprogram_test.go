package job

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestStarted(t *testing.T) {
	for _, c := range []struct {
		line, want  string
		interpreted bool
	}{
		{"lmp -in melt.lmp", "lmp", false},
		{"./a.out", "a.out", false},
		{"python a.py", "a.py", true},
		{"/usr/bin/python3.11 -u /home/u/b.py --steps 3", "b.py", true},
		{"python -W ignore -X dev -m pkg.train --lr 1", "pkg.train", true},
		{"python3 -c print(1)", "python3", false},
		{"python3 -", "python3", false},
		{"python3", "python3", false},
		{"python -bc x", "python", false},
		{"pypy3 x.py", "x.py", true},
		{"python solve-1.2.3.py", "solve-#.py", true},
		{"python run_20261123.py", "run_#.py", true},
		{"python step2.py", "step2.py", true},
		{"perl -w -I lib count.pl in", "count.pl", true},
		{"perl -e 1", "perl", false},
		{"perl -ne print", "perl", false},
		{"Rscript --vanilla fit.R 3", "fit.R", true},
		{"Rscript -e 1", "Rscript", false},
		{"R --no-echo --no-restore --file=fit.R --args 3", "fit.R", true},
		{"R -f fit.R", "fit.R", true},
		{"julia -t 4 --project heat.jl", "heat.jl", true},
		{"julia -e 1", "julia", false},
		{"java -Xmx4g -cp a:b org.x.Main", "org.x.Main", true},
		{"java -jar /opt/app-2.1.jar x", "app-#.jar", true},
		{"node --max-old-space-size=4096 s.js", "s.js", true},
		{"bash -x job.sh 1", "job.sh", true},
		{"-bash", "-bash", false},
		{"sh -c a.out", "sh", false},
		{"bash -lc a.out", "bash", false},
		{"mpirun -np 2 lmp -in x", "lmp", false},
		{"mpirun.openmpi --mca btl self,tcp -x OMP_NUM_THREADS --map-by core ./x", "x", false},
		{"mpiexec -n 4 -genv A 1 python3 t.py", "t.py", true},
		{"srun -n 4 --mpi=pmix ./solver", "solver", false},
		{"srun --ntasks 4 --cpu-bind none solver", "solver", false},
		{"time -v ./x", "x", false},
		{"nice -n 5 python a.py", "a.py", true},
		{"timeout -k 5 60 ./x", "x", false},
		{"taskset -c 0 ./x", "x", false},
		{"taskset 0x3 ./x", "x", false},
		{"numactl --cpunodebind=0 -m 0 ./x", "x", false},
		{"env OMP_NUM_THREADS=4 LC_ALL=C ./x", "x", false},
		{"env A=1 mpirun -n 2 nice python m.py", "m.py", true},
		{"apptainer exec --bind /data image.sif lmp", "image.sif", true},
		{"singularity run --nv tool_2.sif", "tool_2.sif", true},
		{"docker run --rm -v /a:/b maker/tool:1.2 x", "tool:1.2", true},
		{"mpirun", "mpirun", false},
		{"mpirun -np 2", "mpirun", false},
		{"time", "time", false},
		{"timer x", "timer", false},
		{"python \x1b[2J.py", "?[2J.py", true},
	} {
		name, interpreted := StartedProgram(strings.Fields(c.line))
		if name != c.want || interpreted != c.interpreted {
			t.Errorf("%q: %q, %v, want %q, %v", c.line, name, interpreted, c.want, c.interpreted)
		}
	}
	if name, _ := StartedProgram(nil); name != "" {
		t.Errorf("nothing is %q", name)
	}
}

func FuzzStarted(f *testing.F) {
	f.Add("python\x00-m\x00a.b")
	f.Add("mpirun\x00-np\x002\x00nice\x00-n\x001\x00./x")
	f.Add("env\x00env\x00env\x00env\x00env\x00env\x00env\x00env\x00env\x00x")
	f.Fuzz(func(t *testing.T, line string) {
		name, _ := StartedProgram(strings.Split(line, "\x00"))
		if len(name) > 4*MaxText || !utf8.ValidString(name) || strings.ContainsAny(name, "\n\x1b") {
			t.Errorf("%q is %q", line, name)
		}
	})
}
