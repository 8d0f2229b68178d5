package kernel

import (
	"strings"
	"testing"

	"jobgait/agent/counter/polled"
)

func FuzzParseNode(f *testing.F) {
	for _, s := range []string{netDev, diskstats, mountstats, lustreStats, "cpu 1 2 3 4 5 6 7\n",
		"MemTotal: 5 kB\nMemAvailable: 3 kB\n",
		"some avg10=0.00 total=5\nfull total=99999999999999999999\n", "8:0 rbytes=1 wbytes=18446744073709551615\n",
		"8:0 Read 5\n",
		"usage_usec 5", "eth0:", "bytes:\t1 2", "a:b:c: 1 2 3 4 5 6 7 8 9 10"} {
		f.Add([]byte(s))
	}
	names := []string{"eth0", "eth1", "sda", "8:0", "259:0"}
	f.Fuzz(func(t *testing.T, b []byte) {
		size := len(b)
		cells := make([]uint64, 4*len(names))
		for name, parse := range map[string]func() error{
			"net":    func() error { return parseNetDev(b, names, cells) },
			"disk":   func() error { return parseDiskstats(b, names, cells) },
			"io":     func() error { return parseIOStat(b, names, cells) },
			"blkio":  func() error { return parseBlkio(b, names, cells) },
			"lustre": func() error { _, _, err := parseLustre(b); return err },
			"nfs":    func() error { _, _, err := parseNFS(b); return err },
		} {
			if err := parse(); err != nil && err != errUnexpectedFormat {
				t.Errorf("%s: %v", name, err)
			}
		}
		if v, err := parseMemory(b); err == nil && !strings.Contains(string(b), "MemAvailable") {
			t.Errorf("memory %d of nothing", v)
		}
		if v, err := parsePressure(b, "some"); err == nil && v%1000 != 0 {
			t.Errorf("pressure %d", v)
		}
		if v, err := parseNodeCPU(b); err == nil && v%tick != 0 {
			t.Errorf("CPU time %d", v)
		}
		if v, ok := findKey(b, "usage_usec"); ok && v == polled.NoCell {
			t.Error("a value that is none")
		}
		if len(b) != size {
			t.Error("a parser changed its input")
		}
	})
}

func FuzzCutNumber(f *testing.F) {
	for _, s := range []string{"0", " 18446744073709551615", "18446744073709551614 x", "007", "-1", "", "1e5"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		v, rest, ok := cutNumber(b)
		if ok && (v == polled.NoCell || len(rest) >= len(b)) {
			t.Errorf("%q: %d, rest %q", b, v, rest)
		}
	})
}
