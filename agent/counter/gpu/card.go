package gpu

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"jobgait/agent/counter/kernel"
	"jobgait/agent/job"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
)

// card is a GPU of AMD as sysfs shows it.
type card struct {
	dir  string // of its device
	pci  string // address
	name string // "GPU-" and its unique id, as AMD's library writes it; "" without
	file string // render node below /dev
}

// amdVendor is AMD among the makers of PCI devices.
const amdVendor = "0x1002"

// listCards lists AMD's GPUs of the node in the order of their render nodes. What is read
// of them the kernel knows without asking the device.
func listCards(sys string) ([]card, error) {
	nodes, err := filepath.Glob(filepath.Join(sys, "class/drm/renderD*"))
	if err != nil {
		return nil, fmt.Errorf("list GPUs: %w", err)
	}
	var cards []card
	for _, node := range nodes {
		dir, err := filepath.EvalSymlinks(filepath.Join(node, "device"))
		if err != nil || kernel.Text(filepath.Join(dir, "vendor")) != amdVendor {
			continue
		}
		if _, err := os.Stat(filepath.Join(dir, "mem_info_vram_total")); err != nil {
			continue // of another driver, or of none
		}
		c := card{dir: dir, pci: filepath.Base(dir), file: renderFile + strings.TrimPrefix(filepath.Base(node), "renderD")}
		if id := kernel.Text(filepath.Join(dir, "unique_id")); id != "" {
			c.name = "GPU-" + id
		}
		cards = append(cards, c)
	}
	slices.SortFunc(cards, func(a, b card) int {
		return cmp.Or(cmp.Compare(len(a.file), len(b.file)), strings.Compare(a.file, b.file))
	})
	return cards, nil
}

// awake is an error for a card that sleeps.
func (c card) awake() error {
	if kernel.Text(filepath.Join(c.dir, "power/runtime_status")) == "suspended" {
		return errSleeps
	}
	return nil
}

// hwmon finds a file of the card's sensors, "" if it has none.
func (c card) hwmon(name string) string {
	found, _ := filepath.Glob(filepath.Join(c.dir, "hwmon/hwmon*", name))
	if len(found) == 0 {
		return ""
	}
	return found[0]
}

// boardsOf says which they are; what a kernel or a board does not tell stays open.
func boardsOf(cards []card) []run.GPUDevice {
	var list []run.GPUDevice
	for i, c := range cards {
		d := run.GPUDevice{Index: i, Name: note.Clean(kernel.Text(filepath.Join(c.dir, "product_name")), mostName),
			UUID: c.name}
		if n, err := strconv.ParseUint(kernel.Text(filepath.Join(c.dir, "mem_info_vram_total")), 10, 63); err == nil {
			d.MemoryBytes = float64(n)
		}
		list = append(list, d)
	}
	return list
}

// mostName is how much of a board's name is kept.
const mostName = 80

var (
	errUnknown = errors.New("the scheduler names GPUs that are not on this node")
	errWhich   = errors.New("the scheduler gives numbers, which are not those of device files of AMD's GPUs, and the " +
		"job has not all of the node's")
	errSleeps  = errors.New("the GPU is suspended: to read it would wake it")
	errNothing = errors.New("the driver reports no values for it")
)

// pick returns those cards that are the job's, in the scheduler's order.
func pick(cards []card, g job.GPUs) ([]card, error) {
	if len(g.UUIDs) == 0 {
		if len(g.Numbers) != len(cards) {
			return nil, errWhich
		}
		return cards, nil
	}
	var out []card
	for _, name := range g.UUIDs {
		i := slices.IndexFunc(cards, func(c card) bool { return c.name != "" && strings.EqualFold(c.name, name) })
		if i < 0 {
			return nil, errUnknown
		}
		out = append(out, cards[i])
	}
	return out, nil
}
