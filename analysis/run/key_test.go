package run

import "testing"

func TestKeyIsOnePathElement(t *testing.T) {
	for key, want := range map[Key]string{
		{Cluster: "c", JobID: 7}:                          "c-7.r0",
		{Cluster: "local:vm", JobID: 7, Sub: 2}:           "local_vm-7.r0.run2",
		{Cluster: "../../etc", JobID: 7, Restart: 1}:      "_.._etc-7.r1",
		{Cluster: "", JobID: 7}:                           "cluster-7.r0",
		{Cluster: "c", JobID: 7, SLUID: "s0123456789abc"}: "c-7.s0123456789abc",
		{Cluster: "a/b c\x00d", JobID: 1}:                 "a_b_c_d-1.r0",
		{Cluster: "azAZ09_-.", JobID: 1}:                  "azAZ09_-.-1.r0",
	} {
		if got := key.String(); got != want {
			t.Errorf("%+v: %q, want %q", key, got, want)
		}
	}
}
