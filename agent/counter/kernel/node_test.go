package kernel

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"jobgait/agent/counter/countertest"
	"jobgait/agent/counter/polled"
)

const netDev = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|` +
	`bytes    packets errs drop fifo colls carrier compressed
    lo: 592744503 1223362    0    0    0     0          0         0` +
	` 592744503 1223362    0    0    0     0       0          0
  eth0: 1000   10    1    0    0     0          0         3  2000   20    0    0    0     0       0          0
 eth1:3000 30 0 0 0 0 0 0 4000 40 0 0 0 0 0 0
veth0: 7 7 0 0 0 0 0 0 7 7 0 0 0 0 0 0
bond0: 4000 40 0 0 0 0 0 0 6000 60 0 0 0 0 0 0
   ib0: 9 9 0 0 0 0 0 0 9 9 0 0 0 0 0 0
`

const diskstats = `   7       0 loop0 5 0 5 0 0 0 0 0 0 0 0 0 0 0 0 0 0
   8       0 sda 10 1 100 5 20 2 200 6 0 7 8 9 0 0 0 0 0
   8       1 sda1 9 1 90 5 19 2 190 6 0 7 8 9 0 0 0 0 0
 253       0 dm-0 10 0 100 5 20 0 200 6 0 7 8
   9       0 md0 10 0 100 5 20 0 200 6 0 7 8
 259       0 nvme0n1 1 0 10 5 2 0 20 6 0 7 8
 259       1 nvme0c0n1 1 0 10 5 2 0 20 6 0 7 8
`

// node is a whole machine.
func node(t testing.TB) Roots {
	files := map[string]string{
		"proc/net/dev":   netDev,
		"proc/diskstats": diskstats,
		"proc/meminfo":   "MemTotal:       24684092 kB\nMemFree: 1 kB\nMemAvailable:   24144400 kB\n",
		"proc/pressure/cpu": "some avg10=1.94 avg60=1.56 avg300=3.09 total=5\nfull avg10=0.00 avg60=0.00 " +
			"avg300=0.00 total=0\n",
		"proc/pressure/io": "some avg10=0.00 avg60=0.00 avg300=0.00 total=9\nfull avg10=0.00 avg60=0.00 " +
			"avg300=0.00 total=6\n",
		"proc/pressure/memory": "some avg10=0.00 avg60=0.00 avg300=0.00 total=9\nfull avg10=0.00 avg60=0.00 " +
			"avg300=0.00 total=7\n",
		"proc/stat":                "cpu  100 20 30 4000 50 6 7 8 90 1\ncpu0 1 1\nintr 1 2 3\n",
		"proc/self/mountstats":     mountstats,
		"proc/fs/lustre/":          "",
		"sys/class/net/lo/type":    "772\n",
		"sys/class/net/veth0/type": "1\n",
		"sys/class/net/bond0/type": "1\n",
		"sys/class/net/ib0/type":   "32\n", "sys/class/net/ib0/device/": "",
		"sys/class/net/eth0/type": "1\n", "sys/class/net/eth0/device/": "",
		"sys/class/net/eth1/type": "1\n", "sys/class/net/eth1/device/": "",
		"sys/block/loop0/dev": "7:0\n", "sys/block/dm-0/dev": "253:0\n", "sys/block/md0/dev": "9:0\n",
		"sys/block/sda/dev": "8:0\n", "sys/block/sda/device/": "", "sys/block/sda/hidden": "0\n",
		"sys/block/nvme0n1/dev": "259:0\n", "sys/block/nvme0n1/device/": "",
		"sys/block/nvme0c0n1/dev": "259:1\n", "sys/block/nvme0c0n1/device/": "", "sys/block/nvme0c0n1/hidden": "1\n",
		"sys/kernel/debug/lustre/llite/work-1/stats": lustreStats,
		"sys/kernel/debug/lustre/llite/home-1/stats": lustreStats,
	}
	for port, state := range map[string]string{"mlx5_0/ports/1": "4: ACTIVE\n", "mlx5_1/ports/1": "1: DOWN\n"} {
		at := "sys/class/infiniband/" + port
		files[at+"/state"] = state
		files[at+"/counters/port_rcv_data"] = "1000\n"
		files[at+"/counters/port_xmit_data"] = "2000\n"
	}
	root := plant(t, files)
	return Roots{root + "/proc", root + "/sys"}
}

const mountstats = `device proc mounted on /proc with fstype proc
device srv:/home mounted on /home with fstype nfs4 statvers=1.1
	opts:	rw,vers=4.2
	age:	100
	bytes:	1 2 3 4 500 600 7 8
device srv:/home mounted on /home2 with fstype nfs4 statvers=1.1
	bytes:	1 2 3 4 500 600 7 8
device srv:/apps mounted on /apps with fstype nfs statvers=1.1
	bytes:	1 2 3 4 50 60 7 9
`

const lustreStats = `snapshot_time             1605873396.123456789 secs.nsecs
read_bytes                123 samples [bytes] 4096 4194304 515899392
write_bytes               7 samples [bytes] 1 4194304 1000
open                      99 samples [regs]
`

// cells reads every source once and returns the values by column.
func cells(t testing.TB, m polled.Meter, err error) map[string]uint64 {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if m.Close != nil {
		defer m.Close()
	}
	got := map[string]uint64{}
	row := make([]uint64, max(m.Cells, len(m.Columns)))
	for i := range row {
		row[i] = polled.NoCell
	}
	if err := m.Read(row); err != nil {
		t.Fatal(err)
	}
	for i, v := range row {
		if v != polled.NoCell {
			got[m.Columns[i%len(m.Columns)].Name] += v
		}
	}
	return got
}

func TestNodeReadsEverything(t *testing.T) {
	r := node(t)
	want := map[string]uint64{
		"net_rx_bytes": 4000, "net_tx_bytes": 6000, "net_rx_packets": 40, "net_tx_packets": 60,
		"ib_rx_bytes": 4000, "ib_tx_bytes": 8000,
		"disk_read_bytes": 110 * 512, "disk_write_bytes": 220 * 512, "disk_reads": 11, "disk_writes": 22,
		"lustre_read_bytes": 2 * 515899392, "lustre_write_bytes": 2000,
		"nfs_read_bytes": 550, "nfs_write_bytes": 660,
		"mem_used":     (24684092 - 24144400) * 1024,
		"psi_cpu_some": 5000, "psi_io_full": 6000, "psi_mem_full": 7000,
		"node_cpu": 163 * tick,
	}
	got := map[string]uint64{}
	for _, open := range []func(Roots) (polled.Meter, error){Network, InfiniBand, Disks, Lustre, NFS, Memory, Pressure,
		NodeCPU} {
		m, err := open(r)
		maps.Copy(got, cells(t, m, err))
	}
	if !maps.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestNodeOpensCountersOrNotesTheReason(t *testing.T) {
	have, lack := Node(node(t))(clock())
	if len(have) != 7 || len(lack) != 0 {
		t.Errorf("%d sources, lacking %v", len(have), lack)
	}
	for _, p := range have {
		for _, s := range p.Sources() {
			if s.Config == "" || s.PMU == "" || s.Event == "" || s.Scope != "node" || s.Hz < 1 || s.Hz > 20 {
				t.Errorf("%+v", s)
			}
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
	empty := plant(t, map[string]string{"sys/class/net/lo/type": "772"})
	have, lack = Node(Roots{empty + "/proc", empty + "/sys"})(clock())
	if len(have) != 0 || len(lack) != 7 {
		t.Fatalf("of nothing: %d sources, lacking %v", len(have), lack)
	}
	for _, s := range lack {
		if s.Absent == "" || s.Name == "" {
			t.Errorf("no reason: %+v", s)
		}
	}
}

func TestMissingCounterHasNoColumn(t *testing.T) {
	for name, c := range map[string]struct {
		path, content, lacks, why string
	}{
		"a full 32-bit counter": {"sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_data", "4294967295\n", "infiniband",
			"full"},
		"no memory available":   {"proc/meminfo", "MemTotal: 5 kB\n", "mem_used", "documented format"},
		"a cut line":            {"proc/diskstats", "8 0 sda 1 2 3\n", "disk", "documented format"},
		"no line of its device": {"proc/net/dev", "  eth9: 1 2 3 4 5 6 7 8 9 10\n", "net", "no number was found"},
		"pressure switched off": {"proc/pressure/io", "", "psi", "documented format"},
	} {
		t.Run(name, func(t *testing.T) {
			r := node(t)
			put(t, strings.TrimSuffix(r.Proc, "/proc"), c.path, c.content)
			have, lack := Node(r)(clock())
			if len(have) != 6 || len(lack) != 1 || lack[0].Name != c.lacks || !strings.Contains(lack[0].Absent, c.why) {
				t.Errorf("%d sources, lacking %+v", len(have), lack)
			}
		})
	}
}

func TestInfiniBandPrefersWideCounters(t *testing.T) {
	r := node(t)
	root := strings.TrimSuffix(r.Proc, "/proc")
	put(t, root, "sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_data", "4294967295\n")
	put(t, root, "sys/class/infiniband/mlx5_0/ports/1/counters_ext/port_rcv_data_64", "4294967296\n")
	put(t, root, "sys/class/infiniband/mlx5_0/ports/1/counters_ext/port_xmit_data_64", "1\n")
	m, err := InfiniBand(r)
	if got := cells(t, m, err); got["ib_rx_bytes"] != 1<<34 || got["ib_tx_bytes"] != 4 {
		t.Errorf("%v", got)
	}
}

// A device that returns is not counted from the boot of the node on.
func TestNetworkWhenAnInterfaceGoes(t *testing.T) {
	r := node(t)
	m, err := Network(r)
	if err != nil {
		t.Fatal(err)
	}
	p, err := polled.New(m, clock())
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	var to countertest.Sink
	for _, step := range []struct {
		text string
		want []uint64
	}{
		{" eth0: 1000 10 0 0 0 0 0 0 2000 20\n eth1: 3000 30 0 0 0 0 0 0 4000 40\n", []uint64{0, 0, 0, 0}},
		{" eth0: 1001 11 0 0 0 0 0 0 2002 21\n", []uint64{1, 2, 1, 1}},
		{" eth0: 1001 11 0 0 0 0 0 0 2002 21\n eth1: 3007 31 0 0 0 0 0 0 4000 40\n", []uint64{8, 2, 2, 1}},
	} {
		put(t, r.Proc, "net/dev", step.text)
		if err := p.Drain(&to); err != nil {
			t.Fatal(err)
		}
		if got, _ := to.Last(0); !slices.Equal(got.Counts, step.want) {
			t.Errorf("%v, want %v", got.Counts, step.want)
		}
	}
}
