package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter/kernel"
)

// What an interrupt with its record is taken to cost where nobody has measured
// it: 11 to 17 us in a virtual machine, 1 to 2.5 us by estimate on bare metal.
const (
	assumedVirtualNS = 12_000
	assumedMetalNS   = 3_000
)

// measured is what `selfcheck --store` keeps of this machine.
type measured struct {
	InterruptNS float64 `json:"interrupt_ns"`
	CILoNS      float64 `json:"ci_lo_ns"`
	CIHiNS      float64 `json:"ci_hi_ns"`
	Level       float64 `json:"level"`
	Pairs       int     `json:"pairs"`
	// CPUModel and Kernel say of which machine it is: under another kernel,
	// or on another processor from the same disk image, it is not believed.
	CPUModel string  `json:"cpu_model"`
	Kernel   string  `json:"kernel"`
	TimeS    float64 `json:"time_s"` // UTC epoch seconds
}

// measuredFile is where it is kept: in the spool, which is the node's own and
// root's.
func measuredFile(spool string) string { return filepath.Join(spool, "selfcheck.json") }

// nodePrices are those measured on this node, else assumed.
func nodePrices(spool string, h host) prices {
	m, err := readMeasured(measuredFile(spool))
	if err == nil && m.CPUModel == kernel.CPUModel(h.proc) && m.Kernel == release() && m.usable() {
		return prices{interruptNS: m.InterruptNS, from: "measured"}
	}
	if kernel.Virtual(h.proc, h.sys) {
		return prices{interruptNS: assumedVirtualNS, from: "assumed"}
	}
	return prices{interruptNS: assumedMetalNS, from: "assumed"}
}

// usable tells whether the interval is narrow enough to rest rates on, and the
// value one that a CPU can have.
func (m measured) usable() bool {
	return m.InterruptNS >= 100 && m.InterruptNS <= 1e6 && m.CIHiNS <= 2*m.InterruptNS && m.CILoNS >= m.InterruptNS/2
}

// release is the kernel's.
func release() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
}

var errForeign = errors.New("not a plain file of root's or ours that only its owner may write")

// readMeasured believes a file that nobody but root or this user can have
// written: a job could ask for any rate with another.
func readMeasured(path string) (m measured, err error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return m, err
	}
	defer f.Close()
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return m, fmt.Errorf("stat %s: %w", path, err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG || st.Mode&0o022 != 0 || st.Uid != 0 && int(st.Uid) != os.Geteuid() || st.Size > 1<<16 {
		return m, fmt.Errorf("%s: %w", path, errForeign)
	}
	text, err := io.ReadAll(io.LimitReader(f, 1<<16))
	if err == nil {
		m, err = parseMeasured(text)
	}
	if err != nil {
		return measured{}, fmt.Errorf("read %s: %w", path, err)
	}
	return m, nil
}

// parseMeasured reads what store has written.
func parseMeasured(text []byte) (m measured, err error) {
	if err = json.Unmarshal(text, &m); err != nil {
		return measured{}, err
	}
	return m, nil
}

// store keeps a measurement, whole or not at all.
func (m measured) store(spool string) error {
	m.Kernel, m.TimeS = release(), float64(time.Now().UnixNano())/1e9
	m.CPUModel = kernel.CPUModel("/proc")
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(spool), 0o755); err != nil {
		return fmt.Errorf("make spool: %w", err)
	}
	if err := os.Mkdir(spool, 0o711); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make spool: %w", err)
	}
	path := measuredFile(spool)
	f, err := os.CreateTemp(spool, ".selfcheck-*")
	if err != nil {
		return fmt.Errorf("store %s: %w", path, err)
	}
	_, err = f.Write(append(text, '\n'))
	err = errors.Join(err, f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("store %s: %w", path, err)
	}
	return nil
}
