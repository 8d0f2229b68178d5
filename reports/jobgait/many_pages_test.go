package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jobgait/analysis/anatomy"
)

// manyPages is a program of 400 functions with equal CPU time, each in a page of its own:
// more pages than a block of a profile lists.
func manyPages() string {
	var source strings.Builder
	calls := ""
	source.WriteString("#include <time.h>\n#define F(n) __attribute__((noinline, aligned(4096))) double f##n(double x) " +
		"{ for (int i = 0; i < 60000; i++) x = x * 1.0000001 + n; return x; }\n")
	for i := range 400 {
		fmt.Fprintf(&source, "F(%d)\n", i)
		calls += fmt.Sprintf("x = f%d(x); ", i)
	}
	source.WriteString("int main(void) { volatile double y; double x = 1; while (clock() < 2 * CLOCKS_PER_SEC) { " +
		calls + "} y = x; return y < 0; }\n")
	return source.String()
}

// TestLiveCodeOfManyPages runs a program with more code pages than blocks list: all of its
// samples belong to its own functions.
func TestLiveCodeOfManyPages(t *testing.T) {
	sampled(t)
	b := newBox(t)
	if err := os.WriteFile(filepath.Join(b.work, "program.c"), []byte(manyPages()), 0o600); err != nil {
		t.Fatal(err)
	}
	b.shell("gcc -O1 -o program program.c")
	if r := end(t, b.command("run", "--names=all", "--", "./program")); r.status != 0 {
		t.Fatalf("%s%s", r.out, r.complaint)
	}
	if b.known().Lost {
		t.Skip("this machine is so busy that the child did not come back in time")
	}
	own, unnamed := 0.0, 0.0
	code := b.code()
	for _, c := range code.Classes {
		switch c.Name {
		case string(anatomy.Own):
			own += c.Share
		case string(anatomy.Unnamed), string(anatomy.NotResolved):
			unnamed += c.Share
		}
	}
	t.Logf("own code %.1f %%, not attributed %.1f %%", 100*own, 100*unnamed)
	if own < .8 || unnamed > .02 {
		t.Errorf("own code %.1f %%, not attributed %.1f %%: %+v", 100*own, 100*unnamed, code.Classes)
	}
	if r := end(t, b.command("show", "--last")); strings.Contains(r.out, "without a file") {
		t.Errorf("the report speaks of code without a file:\n%s", r.out)
	}
}

// TestLiveCodeOfTheVDSO runs a program that asks for the time all the while. The kernel's code that does this is mapped
// into the program and lies in no file, but it is not made at run time.
func TestLiveCodeOfTheVDSO(t *testing.T) {
	sampled(t)
	b := newBox(t)
	program := b.compiled("asks", `#include <time.h>
int main(void) {
	struct timespec t;
	do for (int i = 0; i < 1000; i++) clock_gettime(CLOCK_MONOTONIC, &t); while (clock() < 2 * CLOCKS_PER_SEC);
	return t.tv_sec < 0;
}`)
	if r := end(t, b.command("run", "--names=all", "--", program)); r.status != 0 {
		t.Fatalf("%s%s", r.out, r.complaint)
	}
	code := b.code()
	for _, c := range code.Classes {
		if c.Name == string(anatomy.Unnamed) && c.Share > .02 {
			t.Errorf("%.1f %% of the CPU time is in code made at run time: %+v", 100*c.Share, code.Functions)
		}
	}
}
