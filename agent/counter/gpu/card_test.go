package gpu

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"jobgait/agent/job"
)

// put writes a file below a root.
func put(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
}

// plantCard makes a card of a maker, and returns the directory of its device.
func plantCard(t *testing.T, sys, render, pci, vendor, unique string) string {
	t.Helper()
	dir := filepath.Join(sys, "devices/pci0000:00", pci)
	put(t, filepath.Join(dir, "vendor"), []byte(vendor+"\n"))
	if unique != "" {
		put(t, filepath.Join(dir, "unique_id"), []byte(unique+"\n"))
	}
	node := filepath.Join(sys, "class/drm", render)
	if err := os.MkdirAll(node, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dir, filepath.Join(node, "device")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// plantNode makes a node of two AMD GPUs, an Intel one, and something of AMD's without
// its driver. The render nodes count other than the PCI addresses.
func plantNode(t *testing.T) (sys string) {
	t.Helper()
	sys = t.TempDir()
	for _, c := range [][4]string{{"renderD130", "0000:03:00.0", amdVendor, "4a1b2c3d4e5f6071"},
		{"renderD129", "0000:c3:00.0", amdVendor, "4a1b2c3d4e5f6072"},
		{"renderD128", "0000:00:02.0", "0x8086", ""}, {"renderD131", "0000:d3:00.0", amdVendor, ""}} {
		dir := plantCard(t, sys, c[0], c[1], c[2], c[3])
		if c[3] != "" {
			put(t, filepath.Join(dir, "mem_info_vram_total"), []byte("68702699520\n"))
		}
	}
	return sys
}

func TestPick(t *testing.T) {
	cards, err := listCards(plantNode(t))
	if err != nil || len(cards) != 2 {
		t.Fatalf("%+v, %v", cards, err)
	}
	for name, c := range map[string]struct {
		told job.GPUs
		want []string
		err  error
	}{
		"all":           {job.GPUs{Numbers: []int{0, 1}}, []string{"0000:c3:00.0", "0000:03:00.0"}, nil},
		"one by number": {job.GPUs{Numbers: []int{0}}, nil, errAmbiguous},
		"one by name": {job.GPUs{UUIDs: []string{"GPU-4a1b2c3d4e5f6071"}, Numbers: []int{1}}, []string{"0000:03:00.0"},
			nil},
		"in their order": {job.GPUs{UUIDs: []string{"GPU-4A1B2C3D4E5F6071", "GPU-4a1b2c3d4e5f6072"}},
			[]string{"0000:03:00.0", "0000:c3:00.0"}, nil},
		"elsewhere": {job.GPUs{UUIDs: []string{"GPU-4a1b2c3d4e5f6071", "GPU-ff"}}, nil, errUnknown},
	} {
		got, err := selectCards(cards, c.told)
		var pci []string
		for _, g := range got {
			pci = append(pci, g.pci)
		}
		if !errors.Is(err, c.err) || !slices.Equal(pci, c.want) {
			t.Errorf("%s: %v, %v, want %v, %v", name, pci, err, c.want, c.err)
		}
	}
	if cards[0].file != "/dev/dri/renderD129" {
		t.Errorf("file %s", cards[0].file)
	}
	if none, err := listCards(t.TempDir()); err != nil || len(none) != 0 {
		t.Errorf("of nothing: %v, %v", none, err)
	}
}
