package as

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// The test program is the child too: it becomes the account in its arguments and
// says what it may.
func TestMain(m *testing.M) {
	if len(os.Args) > 3 && os.Args[1] == "become" {
		a, err := ParseArgs(os.Args[2:])
		if err == nil {
			err = a.Become()
		}
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		rights()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// rights prints what the child can still do.
func rights() {
	dumpable, _ := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0)
	groups, _ := os.Getgroups()
	fmt.Println("ids", os.Getuid(), os.Geteuid(), os.Getgid(), groups, "dumpable", dumpable)
	fmt.Println("runs:", exec.Command("/bin/true").Run() == nil)
	_, err := os.ReadFile("/etc/shadow")
	fmt.Println("shadow:", err == nil)
	// Memory that is used makes threads of the collector work, where none can be made.
	var kept [][]byte
	for range 64 {
		kept = append(kept, make([]byte, 1<<20))
	}
	fmt.Println("memory:", len(kept))
	_, err = unix.Mmap(-1, 0, 1<<30, unix.PROT_READ, unix.MAP_ANON|unix.MAP_PRIVATE)
	fmt.Println("a gigabyte:", err == nil)
	nice, _ := unix.Getpriority(unix.PRIO_PROCESS, 0)
	fmt.Println("nice", 20-nice)
	tasks, _ := filepath.Glob("/proc/self/task/*/status")
	fmt.Println("back:", unix.Setresuid(0, 0, 0) == nil, len(tasks) >= spareThreads)
}

func TestBecomeLeavesOnlyReading(t *testing.T) {
	a := nobody(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	want := "ids 65534 65534 65534 [65533 65534] dumpable 0\nruns: false\nshadow: false\nmemory: 64\na gigabyte: false\nnice 19\nback: false true"
	if got := output(t, Self(), self, append([]string{"become"}, a.Args()...)...); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestAccountsAsArguments(t *testing.T) {
	a := Account{UID: 1000, GID: 100, Groups: []uint32{100, 4}}
	if b, err := ParseArgs(a.Args()); err != nil || b.UID != a.UID || b.GID != a.GID || !slices.Equal(a.Groups, b.Groups) {
		t.Errorf("%+v, %v", b, err)
	}
	for _, args := range []string{"", "1", "1 -1", "1 x", "1 4294967296"} {
		if _, err := ParseArgs(strings.Fields(args)); err == nil {
			t.Errorf("%q is no account", args)
		}
	}
}
