package league

import "regexp"

// application is a program of the distribution, an input that keeps it busy for longer than a run lasts, and
// how its output shows its progress.
type application struct {
	name     string
	packages string // Debian's, separated by spaces
	prepare  string // shell, in a directory that holds inputs/; before the run
	command  string // shell, watched
	ranks    int
	levels   []level // none: a control, which has no loop
}

// level is something that an application repeats.
type level struct {
	name string
	line *regexp.Regexp // matches a line of the output
	per  float64        // times of this level from one line to the next
}

func applications() []application {
	all := append(molecules(), flows()...)
	return append(append(all, others()...), controls()...)
}

const (
	mpirun = "mpirun --allow-run-as-root -np 2 "
	// Of a box of 200 x 200 cells a step takes 0.15 s; at this step's length the
	// Courant number stays near 0.4 and the solution converges.
	cavity = "cp -r /usr/share/doc/openfoam-examples/examples/incompressible/icoFoam/cavity/cavity/* . && " +
		"sed -i 's/(20 20 1)/(200 200 1)/' system/blockMeshDict && " +
		"sed -i 's/^deltaT .*/deltaT 0.0002;/; s/^endTime .*/endTime 9;/; s/^writeInterval .*/writeInterval 100000;/' " +
		"system/controlDict && "
)

// molecules are codes of molecular dynamics and of electrons.
func molecules() []application {
	thermo := regexp.MustCompile(`^ +\d+ +[-\d]`)
	rebuild := []level{{"rebuild", thermo, 1}, {"step", thermo, 20}}
	lammps := func(name, before string, ranks int, input string) application {
		return application{name, "lammps openmpi-bin", "", before + "lmp -in inputs/" + input + " -log none", ranks, rebuild}
	}
	return []application{
		lammps("lammps-lj", "", 1, "lj.lammps"),
		lammps("lammps-eam", "", 1, "eam.lammps"),
		lammps("lammps-tersoff", "", 1, "tersoff.lammps"),
		lammps("lammps-lj-2", mpirun, 2, "lj.lammps"),
		{"cp2k", "cp2k cp2k-data", "", "cp2k -i inputs/water.cp2k", 1, []level{
			{"step", regexp.MustCompile(`MD\| Step number`), 1},
			{"scf", regexp.MustCompile(`^ +\d+ OT `), 1}}},
		{"espresso", "quantum-espresso quantum-espresso-data", "", "pw.x -in inputs/silicon.qe", 1, []level{
			{"step", regexp.MustCompile(`^!`), 1},
			{"scf", regexp.MustCompile(`^ +iteration #`), 1}}},
		{"nwchem", "nwchem nwchem-data", "", "nwchem inputs/water.nwchem", 1, []level{
			{"step", regexp.MustCompile(`Total DFT energy`), 1},
			{"scf", regexp.MustCompile(`^ d= *\d+,ls=`), 1}}},
	}
}

// flows are solvers of OpenFOAM.
func flows() []application {
	const packages = "openfoam openfoam-examples"
	line := regexp.MustCompile(`^Time = `)
	step := level{"step", line, 1}
	return []application{
		{"icofoam", packages, cavity + "blockMesh", "icoFoam", 1, []level{step}},
		// A checkpoint comes every 20 steps and is not in the log.
		{"icofoam-checkpoints", packages, cavity + "sed -i 's/100000/20/; s/^writePrecision .*/writePrecision 16;/; " +
			"s/^writeCompression .*/writeCompression on;/' system/controlDict && blockMesh", "icoFoam", 1,
			[]level{step, {"checkpoint", line, 1. / 20}}},
		{"icofoam-2", packages + " openmpi-bin", cavity +
			"cp inputs/halves.foam system/decomposeParDict && blockMesh && decomposePar",
			mpirun + "icoFoam -parallel", 2, []level{step}},
		// Its time step follows the flow, and so does the work in a step.
		{"interfoam", packages, "cp -r /usr/share/doc/openfoam-examples/examples/" +
			"multiphase/interFoam/laminar/damBreak/damBreak/* . && " +
			"sed -i 's/(23 8 1)/(69 24 1)/; s/(19 8 1)/(57 24 1)/; s/(23 42 1)/(69 126 1)/; s/(4 42 1)/(12 126 1)/; s/(19 42 " +
			"1)/(57 126 1)/' " +
			"system/blockMeshDict && blockMesh && setFields", "interFoam", 1, []level{step}},
	}
}

func others() []application {
	epoch, picture := regexp.MustCompile(`^epoch`), regexp.MustCompile(`^picture`)
	return []application{
		{"numpy-sgd", "python3-numpy", "", "/usr/bin/python3 -u inputs/sgd.py", 1,
			[]level{{"epoch", epoch, 1}, {"batch", epoch, 20}}},
		{"numpy-heat", "python3-numpy", "", "/usr/bin/python3 -u inputs/heat.py", 1,
			[]level{{"picture", picture, 1}, {"step", picture, 40}}},
		{"ffmpeg", "ffmpeg", "", "ffmpeg -v error -f lavfi -i testsrc2=size=640x360:rate=25 -threads 1 -c:v libx264 " +
			"-preset medium " +
			"-vf metadata=add:key=a:value=b,metadata=print:file=-:direct=1 -f null -", 1,
			[]level{{"frame", regexp.MustCompile(`^frame:`), 1}}},
		{"sqlite", "sqlite3", `{ echo 'create table t(k integer primary key, a, b); create index i on t(a);'
			for n in $(seq 2000); do
			echo 'insert into t(a, b) with recursive c(x) as (select 1 union all select x+1 from c where x<20000)
			select abs(random())%1000003, hex(x) from c;
			select sum(length(b)) from t where a<500000 and k%7=0; delete from t where k<=(select max(k) from t)-60000;
			select "batch";'; done; } >batches.sql`,
			"stdbuf -oL sqlite3 -batch :memory: <batches.sql", 1, []level{{"batch", regexp.MustCompile(`^batch`), 1}}},
	}
}

// controls have no loop that their input does not draw at random.
func controls() []application {
	return []application{
		{name: "farm", packages: "python3", command: "/usr/bin/python3 inputs/farm.py", ranks: 1},
		{name: "gcc", packages: "gcc mawk", prepare: "mawk -f inputs/functions.awk >functions.c",
			command: "gcc -O2 -c functions.c -o functions.o", ranks: 1},
		{name: "xz", packages: "xz-utils",
			prepare: "cat /usr/lib/x86_64-linux-gnu/*.so* /usr/bin/* 2>/dev/null | head -c 150000000 >programs",
			command: "xz -9e -T1 <programs >packed", ranks: 1},
		{name: "povray", packages: "povray mawk", prepare: "mawk -f inputs/spheres.awk >spheres.pov",
			command: "povray +Ispheres.pov +W2400 +H1800 +A0.1 +WT1 +Opicture.png -D", ranks: 1},
		{name: "loop", packages: "dash", command: "while :; do :; done", ranks: 1},
	}
}
