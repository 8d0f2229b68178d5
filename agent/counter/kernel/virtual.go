package kernel

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Virtual reports whether this is a virtual machine, where an interrupt costs several times as much. It checks
// the CPU's hypervisor flag (x86), the hypervisor's directory in /sys, the device tree, and the vendor names in
// the firmware (arm64).
func Virtual(proc, sys string) bool {
	if f, err := os.Open(filepath.Join(proc, "cpuinfo")); err == nil {
		defer f.Close()
		if parseHypervisorFlag(f) {
			return true
		}
	}
	tree := filepath.Join(sys, "firmware/devicetree/base")
	return exists(filepath.Join(sys, "hypervisor/type")) ||
		exists(filepath.Join(tree, "hypervisor")) ||
		strings.Contains(ReadText(filepath.Join(tree, "compatible")), "linux,dummy-virt") ||
		virtualNames(ReadText(filepath.Join(sys, "class/dmi/id/sys_vendor")),
			ReadText(filepath.Join(sys, "class/dmi/id/product_name")))
}

// parseHypervisorFlag reports whether the first CPU in /proc/cpuinfo has the flag hypervisor.
func parseHypervisorFlag(r io.Reader) bool {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		name, value, ok := strings.Cut(lines.Text(), ":")
		if !ok {
			break
		}
		if strings.TrimSpace(name) == "flags" {
			return slices.Contains(strings.Fields(value), "hypervisor")
		}
	}
	return false
}

// virtualNames reports whether vendor and product are those of a virtual machine. Amazon and Google also offer
// physical ones.
func virtualNames(vendor, product string) bool {
	switch {
	case vendor == "Amazon EC2":
		return !strings.Contains(product, ".metal")
	case vendor == "Microsoft Corporation":
		return product == "Virtual Machine"
	}
	for _, maker := range []string{"QEMU", "KVM", "VMware", "VirtualBox", "innotek", "Xen", "Parallels", "Bochs", "BHYVE",
		"OpenStack", "Nutanix", "Google Compute Engine", "Apple Virtualization"} {
		if strings.HasPrefix(vendor, maker) || strings.HasPrefix(product, maker) {
			return true
		}
	}
	return false
}
