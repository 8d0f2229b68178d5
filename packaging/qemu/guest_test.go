package qemu

import (
	"fmt"
	"testing"
)

// machines are the virtual machines to boot: one for each IPC with a single CPU, where everything that is
// counted belongs to the test, and one with two CPUs. They run at the same time; if other programs use the
// host's CPUs, each gets a share.
func machines() []machine {
	ipc, ring, agent := judged{"ipc", as(judgeIPC)}, judged{"ring", as(judgeRing)}, judged{"agent", as(judgeAgent)}
	return []machine{
		{cpus: 1, shift: 1, tests: []judged{ipc, ring, agent, {"permissions", as(judgePermissions)}}},
		{cpus: 1, shift: 2, tests: []judged{ipc, ring, agent, {"scope", as(judgeScope)}, {"job", as(judgeJob)}}},
		{cpus: 1, shift: 0, tests: []judged{ipc, ring, agent, {"shared", as(judgeShared)}, {"large", as(judgeLarge)}}},
		{cpus: 2, shift: 0, tests: []judged{{"hotplug", as(judgeHotplug)}, {"unplugged", as(judgeUnplugged)},
			{"command", as(judgeCommand)}}},
	}
}

func TestOnHardwareCounters(t *testing.T) {
	i := newImage(t)
	for _, m := range machines() {
		t.Run(fmt.Sprintf("shift%d/cpus%d", m.shift, m.cpus), func(t *testing.T) {
			t.Parallel()
			all := m.run(t, i)
			for _, j := range m.tests {
				t.Run(j.check, func(t *testing.T) {
					l := all[j.check]
					if l.Error != "" {
						t.Errorf("in the guest: %s", l.Error)
					}
					j.judge(t, m, l.Value)
				})
			}
		})
	}
}
