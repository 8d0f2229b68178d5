package testcluster

import (
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"jobgait/agent/peek/peektest"
)

// shared is the cluster of all tests, nil where they are skipped. TestMain sets
// it once, before any test.
var shared *cluster

// jobsAtOnce is how many tests run in parallel: their jobs mostly sleep, and
// four nodes take eight of them.
const jobsAtOnce = "6"

func TestMain(m *testing.M) {
	peektest.Main()
	flag.Parse()
	if os.Getenv("JOBGAIT_CLUSTER") != "run" {
		os.Exit(m.Run()) // the tests skip themselves, saying why
	}
	os.Exit(runOnCluster(m))
}

// runOnCluster runs the tests and removes the cluster, however they end: the
// janitor does it when this process is gone.
func runOnCluster(m *testing.M) int {
	if os.Geteuid() != 0 {
		fmt.Println("cluster tests NOT RUN (need root)")
		return 1
	}
	atOnce := jobsAtOnce
	if os.Getenv("JOBGAIT_SOAK") != "" {
		atOnce = soakAtOnce
	}
	if err := flag.Set("test.parallel", atOnce); err != nil {
		fmt.Println(err)
		return 1
	}
	c, err := newCluster()
	if err != nil {
		fmt.Printf("cluster tests: %v\n", err)
		return 1
	}
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		<-interrupted
		c.remove()
		os.Exit(130)
	}()
	shared = c
	code := m.Run()
	if err := c.quiet(); err != nil {
		fmt.Printf("after all tests: %v\n", err)
		code = 1
	}
	if code != 0 {
		c.explain(os.Stdout)
	}
	if err := c.remove(); err != nil {
		fmt.Printf("after all tests: %v\n", err)
		code = 1
	}
	return code
}

// use returns the cluster, or skips the test.
func use(t *testing.T) *cluster {
	t.Helper()
	if shared == nil {
		t.Skip("needs root and JOBGAIT_CLUSTER=run")
	}
	return shared
}
