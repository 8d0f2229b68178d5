package table

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

// Files in the form in which other tools write them.
const (
	lammpsLog = `LAMMPS (29 Aug 2024 - Update 1)
# 3d Lennard-Jones melt
units		lj
Created 32000 atoms
   Step          Temp          E_pair         E_mol          TotEng         Press
         0   1.44          -6.7733681      0             -4.6134356     -5.0197073
       100   0.7574531     -5.7585055      0             -4.6223613      0.20726105
Loop time of 0.8 on 4 procs for 100 steps with 32000 atoms

Performance: 53955.464 tau/day, 124.897 timesteps/s, 3.997 Matom-step/s
99.5% CPU use with 4 MPI tasks x 1 OpenMP threads
Loop time of 1.2 on 4 procs for 200 steps with 32000 atoms
Total wall time: 0:00:02
`
	gromacsPlot = `# This file was created Mon Jan  1 12:00:00 2024
# Created by:
#                     :-) GROMACS - gmx energy, 2023 (-:
@    title "GROMACS Energies"
@    xaxis  label "Time (ps)"
@    yaxis  label "(kJ/mol)"
@TYPE xy
@ s0 legend "Potential"
    0.000000  -567123.187500
    1.000000  -567201.625000
`
	phoronixJSON = `{
    "title": "nightly",
    "last_modified": "2024-01-03 01:00:00",
    "systems": {
        "run b": {"identifier": "run b", "hardware": {"Processor": "EPYC"}, "software": {"Compiler": "GCC 13.2"},
            "user": "ci", "timestamp": "2024-01-02 01:00:00", "client_version": "10.8.4"},
        "run a": {"identifier": "run a", "hardware": {"Processor": "EPYC"}, "software": {"Compiler": "GCC 12.3"},
            "user": "ci", "timestamp": "2024-01-01 01:00:00", "client_version": "10.8.4"}
    },
    "results": {
        "0a": {"identifier": "pts\/compress-7zip-1.10.0", "title": "7-Zip Compression", "app_version": "22.01",
            "arguments": "", "description": "Test: Compression Rating", "scale": "MIPS", "proportion": "HIB",
            "results": {"run b": {"value": 50000, "raw_values": [49900, 50100]}, "run a": {"value": 40000}}},
        "0b": {"identifier": "pts\/build-linux-kernel-1.15.0", "scale": "Seconds", "proportion": "LIB",
            "results": {"run a": {"value": "61.5"}, "run b": {"value": "12.1,12.4,11.9"}}}
    }
}
`
	phoronixXML = `<?xml version="1.0"?>
<!--Phoronix Test Suite v10.8.4-->
<PhoronixTestSuite>
  <Generated><Title>nightly</Title></Generated>
  <Result><Identifier>pts/build-linux-kernel-1.15.0</Identifier></Result>
</PhoronixTestSuite>
`
	criterionRaw = `group,function,value,throughput_num,throughput_type,sample_measured_value,unit,iteration_count
sort,quick,8,,,1000,ns,10
sort,quick,8,,,2400,ns,20
sort,quick,8,,,3300,ns,30
group,function,value,throughput_num,throughput_type,sample_measured_value,unit,iteration_count
sort,quick,16,16,elements,4000,ns,20
`
	codspeedJSON = `{
  "creator": {"name": "pytest-codspeed", "version": "3.2.0", "pid": 12},
  "instrument": {"type": "walltime", "clock_info": {"resolution": 1e-9}},
  "benchmarks": [
    {"name": "sort/8", "uri": "benches/sort.rs::sort/8", "config": {"max_rounds": null},
     "stats": {"min_ns": 90, "max_ns": 130, "mean_ns": 105.5, "stdev_ns": 4, "q1_ns": 99, "median_ns": 104,
       "q3_ns": 110, "rounds": 500, "total_time": 1.5, "iqr_outlier_rounds": 2}},
    {"name": "sort/16", "uri": "benches/sort.rs::sort/16", "config": {}, "stats": {"median_ns": 210}}
  ]
}
`
)

// Histories of other tools: each series with its values and fields.
func TestRunsOfOtherTools(t *testing.T) {
	for name, c := range map[string]struct{ text, reading, want string }{
		"LAMMPS": {lammpsLog, "LAMMPS: ", "loop 1 (procs=4, atoms=32000) [0.008] s/step; " +
			"loop 2 (procs=4, atoms=32000) [0.006] s/step"},
		"two logs of LAMMPS": {lammpsLog + strings.Replace(lammpsLog, "time of 0.8", "time of 1.0", 1), "LAMMPS, 2 ",
			"loop 1 (procs=4, atoms=32000) [0.008 0.01] s/step; loop 2 (procs=4, atoms=32000) [0.006 0.006] s/step"},
		"Phoronix": {phoronixJSON, "Phoronix Test Suite: ", "pts/compress-7zip-1.10.0 - Test: Compression Rating " +
			"[2.5e-05 2e-05] 1/MIPS compiler=GCC 12.3,GCC 13.2; pts/build-linux-kernel-1.15.0 [61.5] Seconds " +
			"compiler=GCC 12.3"},
		"criterion": {criterionRaw, "criterion's raw.csv: ", "sort/quick/8 [110] ns; sort/quick/16 [200] ns"},
		"CodSpeed": {codspeedJSON, "CodSpeed: ", "benches/sort.rs::sort/8 [104] ns; benches/sort.rs::sort/16 " +
			"[210] ns"},
	} {
		all, reading, err := ReadRuns(strings.NewReader(c.text), DefaultRuns("f"))
		if err != nil || !strings.HasPrefix(reading.Columns, c.reading) {
			t.Errorf("%s: %v, %q", name, err, reading.Columns)
			continue
		}
		var got []string
		for _, in := range all {
			checkRuns(t, in)
			text := fmt.Sprint(in.ID, " ", in.Y, " ", in.Unit)
			if fields := in.Meta["compiler"]; fields != nil {
				text += " compiler=" + strings.Join(fields, ",")
			}
			got = append(got, text)
			if !in.OneSession || in.Undated == in.Calendar {
				t.Errorf("%s: %s is not a part of a session, or its dates are wrong: %v", name, in.ID, in.T)
			}
		}
		if text := strings.Join(got, "; "); text != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, text, c.want)
		}
	}
}

func TestMeasurementsOfOtherTools(t *testing.T) {
	larger := strings.NewReplacer("on 4 procs", "on 8 procs", "of 0.8", "of 0.5")
	for name, c := range map[string]struct{ text, want string }{
		"LAMMPS": {lammpsLog + larger.Replace(lammpsLog),
			"loop 1 by procs: 4 0.008, 8 0.005, \nloop 2 by procs: 4 0.006, 8 0.006, \n"},
		"criterion": {criterionRaw, "sort/quick by argument: 8 1e-07, 8 1.2e-07, 8 1.1e-07, 16 2e-07, \n"},
		"CodSpeed":  {codspeedJSON, "sort by argument: 8 1.04e-07, 16 2.1e-07, \n"},
	} {
		m, err := ReadMeasurements(strings.NewReader(c.text), DefaultMeasurements("f"))
		got := ""
		for _, s := range m.Series {
			got += s.ID + " by " + s.Parameter + ": "
			for _, o := range s.Observations {
				got += fmt.Sprintf("%g %.3g, ", o.P, o.Value)
			}
			got += "\n"
		}
		if err != nil || got != c.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got, c.want)
		}
	}
}

// lammpsRun returns a log of LAMMPS with a loop for each number of steps, whose steps take perStep seconds.
func lammpsRun(processes, atoms int, perStep float64, steps ...int) string {
	text := "LAMMPS (29 Aug 2024 - Update 1)\n# LAMMPS (29 Aug 2024) is assumed\n"
	for _, n := range steps {
		text += fmt.Sprintf("   Step          Temp\n         0   1.44\nLoop time of %g on %d procs for %d steps with %d "+
			"atoms\n", perStep*float64(n), processes, n, atoms)
	}
	return text + "Total wall time: 0:00:02\n"
}

// Logs that were joined are read one by one: stages of a log are series, repetitions are not, and weak scaling is
// growth with the processes.
func TestJoinedLammpsLogs(t *testing.T) {
	const several = "LAMMPS, 3 logs in one file: "
	for name, c := range map[string]struct{ text, reading, want string }{
		"stages": {lammpsRun(1, 800, .5, 10, 20) + lammpsRun(2, 800, .25, 10, 20) + lammpsRun(4, 800, .125, 10, 20),
			several + "parameters = procs, atoms, value = loop time / steps, a series for each loop of a log",
			"loop 1: 1 0.5, 2 0.25, 4 0.125, \nloop 2: 1 0.5, 2 0.25, 4 0.125, \n"},
		"repetitions": {lammpsRun(1, 800, .5, 10, 10) + lammpsRun(2, 800, .25, 10) + lammpsRun(4, 800, .125, 10),
			several + "parameters = procs, atoms, value = loop time / steps",
			"time of a step (s): 1 0.5, 1 0.5, 2 0.25, 4 0.125, \n"},
		"weak scaling": {lammpsRun(1, 800, .5, 10) + lammpsRun(2, 1600, .5, 10) + lammpsRun(4, 3200, .75, 10),
			several + "parameter = procs (as many atoms per process in all runs), value = loop time / steps",
			"time of a step (s): 1 0.5, 2 0.5, 4 0.75, \n"},
		"without line ends between": {strings.ReplaceAll(lammpsRun(1, 800, .5, 10)+lammpsRun(2, 800, .25, 10)+
			lammpsRun(4, 800, .125, 10), "0:00:02\nLAMMPS", "0:00:02LAMMPS"),
			several + "parameters = procs, atoms, value = loop time / steps",
			"time of a step (s): 1 0.5, 2 0.25, 4 0.125, \n"},
	} {
		m, err := ReadMeasurements(strings.NewReader(c.text), DefaultMeasurements("f"))
		got := ""
		for _, s := range m.Series {
			got += s.ID + ": "
			for _, o := range s.Observations {
				got += fmt.Sprintf("%g %g, ", o.P, o.Value)
			}
			got += "\n"
		}
		if err != nil || got != c.want || m.Columns != c.reading {
			t.Errorf("%s: %v, %q\n%s\nwant\n%s", name, err, m.Columns, got, c.want)
		}
		if runs, _, err := ReadRuns(strings.NewReader(c.text), DefaultRuns("f")); err != nil || len(runs) == 0 ||
			!strings.HasPrefix(runs[0].ID, "loop 1 (procs=1") || !strings.HasPrefix(runs[len(runs)-1].ID, "loop ") {
			t.Errorf("%s: %v, %v", name, runs, err)
		}
	}
	together := lammpsRun(1, 800, .5, 10) + lammpsRun(2, 900, .5, 10)
	_, err := ReadMeasurements(strings.NewReader(together), DefaultMeasurements("f"))
	if err == nil || !strings.Contains(err.Error(), "the file has 2 logs of LAMMPS: join in one file only the logs") {
		t.Errorf("logs of different systems: %v", err)
	}
	packed := lammpsRun(1, 800, .5, 10) + strings.Repeat("Per MPI rank memory\n", 300) + "\x1f\x8b\x08\x00\x00\n"
	if _, err := ReadMeasurements(strings.NewReader(packed), DefaultMeasurements("f")); err == nil ||
		!strings.Contains(err.Error(), "f:307: read the log of LAMMPS: the line is not text") {
		t.Errorf("a compressed log behind another: %v", err)
	}
}

// A log of LAMMPS that is cut off gives the loops before, and says that it is cut off, compressed or not.
func TestCutLammpsLog(t *testing.T) {
	text := lammpsRun(1, 800, .5, 10) + lammpsRun(2, 800, .25, 10)
	cut := func(n int) io.Reader {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, _ = io.WriteString(z, text[:n])
		_ = z.Flush()
		return unpacked(t, packed.Bytes())
	}
	head := strings.Index(text, "Loop time")
	second := strings.LastIndex(text, "on 2 procs")
	for name, c := range map[string]struct {
		r    func() io.Reader
		want string
	}{
		"compressed": {func() io.Reader { return cut(second) },
			"the compressed log of LAMMPS is cut off in line 11, only the lines before were read: copy it again"},
		"text": {func() io.Reader { return strings.NewReader(text[:second]) },
			"the log of LAMMPS ends within line 11, only the lines before were read: write it again"},
		"complete": {func() io.Reader { return strings.NewReader(text) }, ""},
		"complete, with a last run 0": {func() io.Reader {
			return strings.NewReader(text + "Loop time of 1.2e-06 on 4 procs for 0 steps with 800 atoms")
		}, ""},
	} {
		m, err := ReadMeasurements(c.r(), DefaultMeasurements("f"))
		if err != nil || m.Cut != c.want || len(m.Series) != 1 {
			t.Errorf("%s: measurements %d, %q, %v", name, len(m.Series), m.Cut, err)
		}
		runs, reading, err := ReadRuns(c.r(), DefaultRuns("f"))
		if err != nil || reading.Cut != c.want || len(runs) == 0 {
			t.Errorf("%s: runs %d, %q, %v", name, len(runs), reading.Cut, err)
		}
	}
	for _, read := range []func(io.Reader) error{
		func(r io.Reader) error { _, err := ReadMeasurements(r, DefaultMeasurements("f")); return err },
		func(r io.Reader) error { _, _, err := ReadRuns(r, DefaultRuns("f")); return err },
	} {
		if err := read(cut(head)); err == nil || !strings.Contains(err.Error(), "the compressed log of LAMMPS is cut off in "+
			"line 5") {
			t.Errorf("cut before the first loop has ended: %v", err)
		}
	}
}

// Every message about a file that exceeds a limit names the limit.
func TestLimitsAreNamed(t *testing.T) {
	limits := Limits{Bytes: 1 << 20, Document: 1 << 19, Line: 1 << 16, Rows: 3, Values: 1 << 10, Series: 100, Columns: 8}
	wide := "a" + strings.Repeat(",b", 8) + "\n1,2,3,4,5,6,7,8,9\n"
	for text, want := range map[string]string{
		lammpsRun(1, 800, .5, 1, 2, 3, 4): "more than 3 ",
		criterionRaw:                      "more than 3 ",
		"date,seconds\n2024-01-01,1\n2024-01-02,2\n2024-01-03,3\n2024-01-04,4\n": "more than 3 ",
		`{"t":[1,2,3,4],"y":[1,2,3,4]}`:                                          "more than 3 ",
		wide:                                                                     "more than 8",
		strings.Repeat("1,2\n", 1<<18+1):                                         "",
		"a," + strings.Repeat("b", 1<<17) + "\n":                                 "more than 65536 bytes",
	} {
		limits := limits
		if want == "" {
			limits.Rows, limits.Values, want = 1<<20, 1<<30, "larger than 1 MB"
		}
		_, _, err := ReadRuns(strings.NewReader(text), RunOptions{Name: "f", Unit: Auto, Limits: limits})
		if err == nil || !strings.Contains(err.Error(), want) || !errors.Is(err, errTooLarge) {
			t.Errorf("runs %.40q: %v, want %q", text, err, want)
		}
	}
	_, err := ReadMeasurements(strings.NewReader(lammpsRun(1, 800, .5, 1, 2, 3, 4)),
		MeasurementOptions{Name: "f", Limits: limits})
	if err == nil || !strings.Contains(err.Error(), "more than 3 measurements") {
		t.Errorf("measurements: %v", err)
	}
}

// A file of another tool without what a command needs gives one line that says what to do.
func TestUnsupportedFiles(t *testing.T) {
	read := map[string]func(text string) error{
		"runs": func(text string) error {
			_, _, err := ReadRuns(strings.NewReader(text), DefaultRuns("f"))
			return err
		},
		"measurements": func(text string) error {
			_, err := ReadMeasurements(strings.NewReader(text), DefaultMeasurements("f"))
			return err
		},
		"samples": func(text string) error {
			_, err := ReadSamples(strings.NewReader(text), SampleOptions{Name: "f"})
			return err
		},
	}
	every := []string{"runs", "measurements", "samples"}
	for name, c := range map[string]struct {
		text  string
		kinds []string
		want  string
	}{
		"plot of GROMACS":    {gromacsPlot, every[:2], "write a CSV file with a row for each run"},
		"samples of GROMACS": {gromacsPlot, every[2:], "remove the lines that begin with @"},
		"samples as JSON":    {codspeedJSON, every[2:], "the file is JSON: want samples as CSV"},
		"XML of Phoronix":    {phoronixXML, every, `convert it with "phoronix-test-suite result-file-to-json NAME"`},
		"page":               {"<!DOCTYPE html>\n<html></html>\n", every, "the file is XML or HTML: want CSV or JSON"},
		"log of LAMMPS":      {lammpsLog, every[2:], "copy the rows of one table into a file"},
		"unfinished LAMMPS":  {"LAMMPS (2 Aug 2023)\nunits lj\n", every[:2], "name a log of a finished run"},
		"sizes of Phoronix":  {phoronixJSON, every[1:2], "compares systems and not sizes"},
		"CodSpeed simulation": {`{"instrument":{"type":"valgrind"},"benchmarks":[{"name":"a/8"}]}`, every[1:2],
			"mode walltime"},
		"bad raw.csv": {criterionRaw + "sort,quick,16,,,4000,ns,0\n", every[:2], "f:7: invalid sample of criterion"},
	} {
		for _, kind := range c.kinds {
			err := read[kind](c.text)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "f:") ||
				strings.Contains(err.Error(), "\n") {
				t.Errorf("%s as %s: %v, want one line with %q", name, kind, err, c.want)
			}
		}
	}
}

// Files that were joined have their header between the rows.
func TestJoinedFiles(t *testing.T) {
	runs, _, err := ReadRuns(strings.NewReader("date,seconds\n2024-01-01,5\ndate,seconds\n2024-01-02,6\n"),
		DefaultRuns("f"))
	if err != nil || len(runs) != 1 || !slices.Equal(runs[0].Y, []float64{5, 6}) {
		t.Errorf("runs: %+v, %v", runs, err)
	}
	m, err := ReadMeasurements(strings.NewReader("p,value\n1,5\np,value\n2,6\n"), DefaultMeasurements("f"))
	if err != nil || len(m.Series) != 1 || len(m.Series[0].Observations) != 2 {
		t.Errorf("measurements: %+v, %v", m, err)
	}
	s, err := ReadSamples(strings.NewReader("t_s,x\n0,5\n1,6\nt_s,x\n2,7\n"), SampleOptions{Name: "f"})
	if err != nil || s.Set.Len() != 3 {
		t.Errorf("samples: %+v, %v", s, err)
	}
}

// The table of a log of LAMMPS, and a plot of GROMACS without its directives, are samples.
func TestSamplesCutOut(t *testing.T) {
	thermo := "   Step          CPU          Temp\n         0   0          1.44\n       100   0.5  0.75\n       200   " +
		"1.0  0.8\n"
	for text, o := range map[string]SampleOptions{
		thermo: {Name: "f", Columns: Columns{Time: "CPU"}},
		"# by gmx\n    0.000000  -567123.187500\n    0.500000  -567201.625000\n": {Name: "f"},
	} {
		got, err := ReadSamples(strings.NewReader(text), o)
		if err != nil || got.Set.StepS != .5 {
			t.Errorf("%q: step %v, %v, want .5", text, got.Set.StepS, err)
		}
	}
}

// Any results of the Phoronix Test Suite give runs with an id and a unit for each series, or none.
func FuzzPhoronix(f *testing.F) {
	f.Add(phoronixJSON)
	f.Add(`{"systems":{"a":{}},"results":{"b":{"identifier":"t","results":{"a":{"value":1},"c":{"value":"x"}}}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		all, ok := parsePhoronix([]byte(text))
		if !ok && all != nil {
			t.Error("runs of a document of another form")
		}
		for _, in := range all {
			if in.ID == "" || len(in.Y) != len(in.T) || !in.Bad && !slices.IsSorted(in.T) {
				t.Errorf("%+v", in)
			}
		}
	})
}

// Any text after the head of a log of LAMMPS, and after the header of Criterion's raw.csv, is read or is an error with
// its place.
func FuzzLogsAndSamples(f *testing.F) {
	f.Add(lammpsLog)
	f.Add(criterionRaw)
	f.Add("LAMMPS (x\nLoop time of nan on 1 procs for 1e300 steps with -1 atoms")
	f.Fuzz(func(t *testing.T, text string) {
		header, _, _ := strings.Cut(criterionRaw, "\n")
		for _, head := range []string{lammpsHead, header + "\n"} {
			runs, _, err := ReadRuns(strings.NewReader(head+text), DefaultRuns("in"))
			if err != nil && !place.MatchString(err.Error()) {
				t.Errorf("an error without a place: %v", err)
			}
			for _, in := range runs {
				if len(in.Y) != len(in.T) {
					t.Errorf("%d values at %d times", len(in.Y), len(in.T))
				}
			}
			m, err := ReadMeasurements(strings.NewReader(head+text), DefaultMeasurements("in"))
			if err != nil && (!place.MatchString(err.Error()) || m.Series != nil) {
				t.Errorf("%d series, %v", len(m.Series), err)
			}
		}
	})
}
