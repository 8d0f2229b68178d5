// Package guest is the first process of the virtual machine that packaging/qemu boots, and has
// no code but tests: its test binary, cross-compiled for arm64, is /init. There instructions
// and cycles are counted by hardware, with an IPC that is known in advance. The names of checks come in, by
// `checks=` on the kernel's command line; a line of JSON for each goes out on the console,
// with what was measured. Then it turns the machine off.
//
// It checks the packages of the agent as they are, and the program jobgait-agent beside it. It does not check
// values: the test that boots it knows what they should be. Started as another process than the first, it is
// one of the loads that the checks need.
//
// github.com/hugelgupf/vmtest, which runs Go tests in QEMU, was considered in November 2026: it
// brings a module graph of 102 modules (177 lines of go.sum), boots through u-root, and returns
// results by 9p or virtio-serial, which are modules in Debian's kernel and would have to be loaded from
// the package first. Booting and reading the console take 90 lines in machine_test.go.
package guest
