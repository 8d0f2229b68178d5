package kernel

import "testing"

func TestVirtual(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  bool
	}{
		"nothing":   {nil, false},
		"x86 guest": {map[string]string{"proc/cpuinfo": "processor: 0\nflags\t\t: fpu hypervisor lahf_lm\n"}, true},
		"x86 machine": {map[string]string{"proc/cpuinfo": "processor: 0\nflags\t\t: fpu lahf_lm\n\nflags: hypervisor\n",
			"sys/class/dmi/id/sys_vendor": "Dell Inc.\n"}, false},
		"Xen": {map[string]string{"sys/hypervisor/type": "xen\n"}, true},
		"arm64 by DMI": {map[string]string{"proc/cpuinfo": "CPU part: 0xd40\n", "sys/class/dmi/id/sys_vendor": "QEMU\n"},
			true},
		"arm64 by tree": {map[string]string{"sys/firmware/devicetree/base/compatible": "linux,dummy-virt\x00"}, true},
		"EC2 guest": {map[string]string{"sys/class/dmi/id/sys_vendor": "Amazon EC2\n",
			"sys/class/dmi/id/product_name": "c7g.large\n"}, true},
		"EC2 real machine": {map[string]string{"sys/class/dmi/id/sys_vendor": "Amazon EC2\n",
			"sys/class/dmi/id/product_name": "c7g.metal\n"}, false},
		"Hyper-V": {map[string]string{"sys/class/dmi/id/sys_vendor": "Microsoft Corporation\n",
			"sys/class/dmi/id/product_name": "Virtual Machine\n"}, true},
		"Surface": {map[string]string{"sys/class/dmi/id/sys_vendor": "Microsoft Corporation\n",
			"sys/class/dmi/id/product_name": "Surface\n"}, false},
	} {
		root := plant(t, c.files)
		if got := Virtual(root+"/proc", root+"/sys"); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
