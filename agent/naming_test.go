package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"jobgait/agent/counter/address"
	"jobgait/agent/job"
	"jobgait/agent/job/jobtest"
	"jobgait/agent/names"
	"jobgait/agent/profile"
	"jobgait/analysis/run"
	"jobgait/configs"
)

func placed(path string, counts ...uint64) address.CodeFile {
	f := address.CodeFile{Path: path, PlaceFile: profile.PlaceFile{Key: uint64(len(path)), Name: path}}
	for i, n := range counts {
		f.New = append(f.New, profile.Place{Index: uint64(i), Hits: n})
	}
	return f
}

// Files with most hits are queried first, and only about new places; a file without a path is not opened.
func TestQuestionsOfCode(t *testing.T) {
	code := []address.CodeFile{placed("/a", 1), placed("/bb"), placed("", 9), placed("/ccc", 3, 4)}
	for range 2 * names.MaxFiles {
		code = append(code, placed("/dddd", 2))
	}
	files, questions := lookupsFor(code)
	if len(questions) != names.MaxFiles || len(files) != len(questions) || questions[0].Path != "/ccc" ||
		!slices.Equal(questions[0].Offsets, []uint64{0, 16}) || questions[1].Path != "/dddd" {
		t.Errorf("%d questions: %+v", len(questions), questions[:2])
	}
}

// Places in known functions are not queried again; other places of the same file are.
func TestPlacesInKnownFunctions(t *testing.T) {
	code := []address.CodeFile{placed("/a", 60, 0, 30, 10), placed("/bb", 100)}
	for i := range code {
		code[i].Places = slices.Clone(code[i].New)
	}
	var known names.KnownFunctions
	known.Add(code[0].Key, names.Answer{Functions: []names.Function{{Start: 0, End: 48, Name: "f"}}})
	got, share := unknownPlaces(code, known)
	if share != .55 || len(got[0].New) != 1 || got[0].New[0].Index != 3 || len(got[1].New) != 1 {
		t.Errorf("%g of all hits: %+v", share, got)
	}
	known.Add(code[0].Key, names.Answer{Functions: []names.Function{{Start: 48, End: 64, Name: "g"}}})
	known.Add(code[1].Key, names.Answer{Functions: []names.Function{{Start: 0, End: 16, Name: "h"}}})
	if got, share := unknownPlaces(code, known); share != 0 || len(got[0].New)+len(got[1].New) != 0 {
		t.Errorf("%g of all hits: %+v", share, got)
	}
}

// Only the first node queries names, and only if the user and the site want them.
func TestNodesThatQueryNames(t *testing.T) {
	one, many := jobOfUser(1000), run.Job{NNodes: 2, NodeList: "n[1-2]"}
	for name, c := range map[string]struct {
		run        job.Run
		site       string
		count, ask bool
	}{
		"one node":                {job.Run{Job: one}, "all", true, true},
		"the user wants none":     {job.Run{Job: one, Names: run.NoNames}, "all", false, false},
		"the user wants files":    {job.Run{Job: one, Names: run.Libraries}, "all", true, false},
		"the site wants none":     {job.Run{Job: one, Names: run.AllNames}, "off", false, false},
		"the first of two nodes":  {job.Run{Job: many, Node: "n1"}, "all", true, true},
		"the second of two nodes": {job.Run{Job: many, Node: "n2"}, "all", true, false},
	} {
		if count, ask := namingWanted(c.run, configs.Agent{Names: c.site}); count != c.count || ask != c.ask {
			t.Errorf("%s: counts %v, asks %v", name, count, ask)
		}
	}
	if newNameLookup("/x", job.Run{Job: jobOfUser(-1)}) != nil {
		t.Error("the account nobody was used to look up names")
	}
}

// A child that does not come back is the last, and the end does not wait for it.
func TestHangingNameLookup(t *testing.T) {
	d := &disk{}
	a, _ := testAgent(d, &fixedMembers{})
	a.dir = job.RunDir(t.TempDir())
	a.naming.lookup = func(ctx context.Context, _ []names.Lookup) ([]names.Answer, error) {
		<-ctx.Done()
		return nil, context.DeadlineExceeded
	}
	ctx, stop := context.WithCancel(context.Background())
	a.naming.answers, a.naming.stop = make(chan nameAnswer, 1), stop
	go func(ask nameLookup, came chan<- nameAnswer) {
		_, err := ask(ctx, nil)
		came <- nameAnswer{err: err}
	}(a.naming.lookup, a.naming.answers)
	a.lookUpFinalNames()
	if ctx.Err() == nil {
		t.Error("the child was left alive")
	}
	a.storeNames(nameAnswer{err: context.DeadlineExceeded})
	if a.naming.lookup != nil || !a.naming.known.Lost {
		t.Errorf("%+v", a.naming)
	}
	var known names.KnownFunctions
	if err := a.dir.ReadJSON(names.KnownFile, &known); err != nil || !known.Lost {
		t.Errorf("%+v, %v", known, err)
	}
}

// named is a program that, once started, spends its time in one function. Programs built by go test cannot be
// used, because it strips their symbols.
const named = `#include <stdio.h>
__attribute__((noinline)) static double canary(double x) {
	for (int i = 0; i < 1000000; i++) x = x * .999 + i;
	return x;
}
int main(void) {
	volatile double x = getchar();
	for (;;) x = canary(x);
}`

// A job's functions have names while it runs; and with names off there is no name of a
// function in anything that was written.
func TestNamesOfARunningJob(t *testing.T) {
	needPerf(t)
	cc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc")
	}
	program := filepath.Join(t.TempDir(), "program")
	compile := exec.Command(cc, "-O1", "-x", "c", "-", "-o", program)
	compile.Stdin = strings.NewReader(named)
	if out, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, detail := range []run.DisclosureLevel{run.AllNames, run.Libraries, run.NoNames} {
		cmd := exec.Command(program)
		start, err := cmd.StdinPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		r := job.Run{RootPID: cmd.Process.Pid, Names: detail, Job: run.Job{UID: os.Getuid(), GID: os.Getgid()},
			Key: run.Key{Cluster: "test", JobID: run.JobID(os.Getpid())*10 + run.JobID(len(detail))}}
		a := startAgent(t, runDirOf(t, r), "JOBGAIT_ONE_MACHINE=1", "HOME="+t.TempDir())
		if _, err := start.Write([]byte("\n")); err != nil {
			t.Fatal(err)
		}
		var known names.KnownFunctions
		if detail == run.AllNames {
			// The first query may be about code that loads the program.
			jobtest.Until(t, "its functions have names", func() bool {
				return a.dir.ReadJSON(names.KnownFile, &known) == nil && (known.Lost || says(known, canary))
			})
		} else {
			size := func() int64 {
				info, err := os.Stat(a.dir.ProfilePath())
				if err != nil {
					t.Fatal(err)
				}
				return info.Size()
			}
			atFirst := size()
			jobtest.Until(t, "some samples were taken", func() bool { return size() > atFirst+4000 })
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		a.end(t)
		if known.Lost {
			t.Skip("this machine is so busy that the child did not come back in time")
		}
		wasNamed(t, a.dir, detail, filepath.Base(program))
	}
}

const canary = "canary"

func says(known names.KnownFunctions, name string) bool {
	return slices.ContainsFunc(known.Files, func(f names.FileFunctions) bool {
		return slices.ContainsFunc(f.Functions, func(x names.Function) bool { return strings.Contains(x.Name, name) })
	})
}

// wasNamed searches everything in a run directory for the program's functions, and the places of the profile
// for the program.
func wasNamed(t *testing.T, dir job.RunDir, detail run.DisclosureLevel, program string) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(string(dir), "*"))
	found := false
	for _, f := range files {
		text, err := os.ReadFile(f)
		found = found || err == nil && bytes.Contains(text, []byte(canary))
	}
	if found != (detail == run.AllNames) {
		t.Errorf("names %s: functions named %v", detail, found)
	}
	var known names.KnownFunctions
	if err := dir.ReadJSON(names.KnownFile, &known); detail != run.AllNames && !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("names %s: a query was sent, %v", detail, err)
	}
	places := loadProfile(t, dir).Places
	own := slices.ContainsFunc(places.Files, func(f profile.PlaceFile) bool { return f.Name == program })
	if own != (detail != run.NoNames) {
		t.Errorf("names %s: code of %+v", detail, places.Files)
	}
}
