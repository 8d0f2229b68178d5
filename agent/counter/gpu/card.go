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

// card is an AMD GPU as sysfs shows it.
type card struct {
	dir  string // of its device
	pci  string // address
	name string // "GPU-" and its unique id, as AMD's library writes it; "" without
	file string // render node below /dev
}

// amdVendor is AMD's vendor id of PCI devices.
const amdVendor = "0x1002"

// listCards returns AMD's GPUs of the node in the order of their render nodes. It reads only what the kernel
// knows without accessing the device.
func listCards(sys string) ([]card, error) {
	nodes, err := filepath.Glob(filepath.Join(sys, "class/drm/renderD*"))
	if err != nil {
		return nil, fmt.Errorf("list the GPUs of this node: %w", err)
	}
	var cards []card
	for _, node := range nodes {
		dir, err := filepath.EvalSymlinks(filepath.Join(node, "device"))
		if err != nil || kernel.ReadText(filepath.Join(dir, "vendor")) != amdVendor {
			continue
		}
		if _, err := os.Stat(filepath.Join(dir, "mem_info_vram_total")); err != nil {
			continue // of another driver, or of none
		}
		c := card{dir: dir, pci: filepath.Base(dir), file: renderFile + strings.TrimPrefix(filepath.Base(node), "renderD")}
		if id := kernel.ReadText(filepath.Join(dir, "unique_id")); id != "" {
			c.name = "GPU-" + id
		}
		cards = append(cards, c)
	}
	slices.SortFunc(cards, func(a, b card) int {
		return cmp.Or(cmp.Compare(len(a.file), len(b.file)), strings.Compare(a.file, b.file))
	})
	return cards, nil
}

// checkAwake returns errSleeps for a suspended card.
func (c card) checkAwake() error {
	if kernel.ReadText(filepath.Join(c.dir, "power/runtime_status")) == "suspended" {
		return errSleeps
	}
	return nil
}

// hwmon returns the path of a file of the card's sensors, "" if it does not exist.
func (c card) hwmon(name string) string {
	found, _ := filepath.Glob(filepath.Join(c.dir, "hwmon/hwmon*", name))
	if len(found) == 0 {
		return ""
	}
	return found[0]
}

// devicesOf describes the cards by name, UUID and memory; unknown values stay empty.
func devicesOf(cards []card) []run.GPUDevice {
	var list []run.GPUDevice
	for i, c := range cards {
		d := run.GPUDevice{Index: i, Name: note.Clean(kernel.ReadText(filepath.Join(c.dir, "product_name")), maxNameChars),
			UUID: c.name}
		if n, err := strconv.ParseUint(kernel.ReadText(filepath.Join(c.dir, "mem_info_vram_total")), 10, 63); err == nil {
			d.MemoryBytes = float64(n)
		}
		list = append(list, d)
	}
	return list
}

// maxNameChars limits the name of a board, in characters.
const maxNameChars = 80

var (
	errUnknown   = errors.New("the scheduler names GPUs of the job that are not on this node: check gres.conf")
	errAmbiguous = errors.New("the job has only some of the node's GPUs, and the scheduler gives their numbers, which " +
		"are not " +
		"those of AMD's device files: only a job with all GPUs of the node is recorded")
	errSleeps  = errors.New("the GPU is suspended and is not read, because a reading would wake it")
	errNothing = errors.New("the driver of this GPU reports no values, so its columns stay empty: check the driver's " +
		"version")
)

// selectCards returns the cards that are the job's, in the scheduler's order. If the scheduler gives no
// UUIDs, these are all cards, if it gives as many numbers as there are cards. It returns an error if they
// cannot be determined.
func selectCards(cards []card, g job.GPUs) ([]card, error) {
	if len(g.UUIDs) == 0 {
		if len(g.Numbers) != len(cards) {
			return nil, errAmbiguous
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
