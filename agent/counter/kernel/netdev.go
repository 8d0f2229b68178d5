package kernel

import (
	"bytes"
	"path/filepath"

	"jobgait/agent/counter/polled"
	"jobgait/agent/profile"
)

// Network returns a meter of /proc/net/dev: bytes and packets of the interfaces that have a hardware device.
//
//	Inter-|   Receive                                                |  Transmit
//	 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs ...
//	  eth0: 752234776   31136 0 0 0 0 0 0  2052452   23297 0 0 0 0 0 0
func Network(r Roots) (polled.Meter, error) {
	names, err := interfaces(r.Sys)
	if err != nil {
		return polled.Meter{}, err
	}
	return perDevice(filepath.Join(r.Proc, "net/dev"), names, []profile.Column{
		{Name: "net_rx_bytes", Unit: "bytes", Scope: "node"},
		{Name: "net_tx_bytes", Unit: "bytes", Scope: "node"},
		{Name: "net_rx_packets", Unit: "packets", Scope: "node"},
		{Name: "net_tx_packets", Unit: "packets", Scope: "node"},
	}, parseNetDev), nil
}

// ipoib is the type of IP-over-InfiniBand interfaces, ARPHRD_INFINIBAND.
const ipoib = "32"

// interfaces returns the network interfaces that have a hardware device: not lo, veth, bridges, bonds and
// VLANs, whose bytes are those of other interfaces or of no network.
func interfaces(sys string) ([]string, error) {
	return withDevice("interface", filepath.Join(sys, "class/net"), func(at string) bool {
		return ReadText(filepath.Join(at, "type")) != ipoib
	})
}

// parseNetDev fills the cells of each named interface: received and sent bytes, received and sent packets.
func parseNetDev(b []byte, names []string, cells []uint64) error {
	for len(b) > 0 {
		var line []byte
		line, b = cutLine(b)
		// The name ends at the last colon before the numbers; an alias has
		// one in its name.
		at := bytes.LastIndexByte(line, ':')
		if at < 0 {
			continue // the two lines of headings
		}
		i := indexOf(names, bytes.TrimSpace(line[:at]))
		if i < 0 {
			continue
		}
		var n [10]uint64
		if !cutNumbers(line[at+1:], n[:]) {
			return errUnexpectedFormat
		}
		cells[4*i], cells[4*i+1], cells[4*i+2], cells[4*i+3] = n[0], n[8], n[1], n[9]
	}
	return nil
}
