package modern

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// cluster is the running virtual cluster.
type cluster struct {
	run   string // its directory: disks, ssh_config, table
	cache string // the image
	nodes [2]guest
	table *table
}

// shared is the cluster of all tests, nil where they are skipped. TestMain sets
// it once, before any test.
var shared *cluster

// jobsAtOnce is how many jobs are waited for at the same time: four CPUs are on
// the two nodes, and emulating them takes what this machine has.
const jobsAtOnce = "4"

func TestMain(m *testing.M) {
	flag.Parse()
	run := os.Getenv("JOBGAIT_MODERN")
	if run == "" {
		os.Exit(m.Run()) // the tests skip themselves, saying why
	}
	os.Exit(runOnCluster(m, run))
}

func runOnCluster(m *testing.M, run string) int {
	if err := flag.Set("test.parallel", jobsAtOnce); err != nil {
		fmt.Println(err)
		return 1
	}
	c := &cluster{run: run, cache: filepath.Join(run, "cache"), table: openTable(filepath.Join(run, "table.json"))}
	for i := range c.nodes {
		c.nodes[i] = guest{fmt.Sprintf("n%d", i+1), filepath.Join(run, "ssh_config")}
	}
	shared = c
	return m.Run()
}

// use returns the cluster, or skips the test.
func use(t *testing.T) *cluster {
	t.Helper()
	if shared == nil {
		t.Skip("needs a virtual cluster: make -C packaging modern")
	}
	return shared
}

// n1 is controller, accounting, NFS server, history and node.
func (c *cluster) n1() guest { return c.nodes[0] }

func (c *cluster) n2() guest { return c.nodes[1] }
