package check

import (
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
)

const plugin = "jobgait.so"

// checkPlugin checks the SPANK plugin: whether plugstack.conf names it, whether the file exists, whether it was
// compiled for this Slurm, and whether it is optional. Without an optional plugin only the option --jobgait is
// missing; without a required one no job starts.
func (n Node) checkPlugin(s controllerConfig) Finding {
	const subject = "spank"
	stack := s.value("PlugStackConfig")
	if stack == "" || !exists(stack) {
		stack = filepath.Join(filepath.Dir(n.slurmConfPath(s)), "plugstack.conf")
	}
	dirs := strings.Split(s.value("PluginDir"), ":")
	named, found := findPlugin(stack, 0)
	if !found {
		for _, dir := range append(dirs, filepath.Join(filepath.Dir(filepath.Dir(n.dir())), "lib/slurm")) {
			if path := filepath.Join(dir, plugin); exists(path) {
				return warning(subject, fmt.Sprintf("echo 'optional %s' >>%s", path, stack),
					"%s is there, but %s does not name it: users have no option --jobgait", path, stack)
			}
		}
		return passed(subject, "%s does not name it: users have no option --jobgait, which is optional", stack)
	}
	path := named.path
	for i := 0; !filepath.IsAbs(path) && i < len(dirs); i++ {
		if p := filepath.Join(dirs[i], named.path); exists(p) {
			path = p
		}
	}
	v, err := builtFor(path)
	remake := fmt.Sprintf("make -C spank clean install PLUGINDIR=%s", filepath.Dir(path))
	switch {
	case err != nil:
		return failure(subject, remake, "%s names %s: %v", stack, named.path, err)
	case s.localVersion != (version{}) && v != s.localVersion:
		return failure(subject, remake, "%s was compiled for Slurm %d.%02d, this is %d.%02d: Slurm refuses it", path, v.major,
			v.minor, s.localVersion.major, s.localVersion.minor)
	case named.word == "required":
		return warning(subject, fmt.Sprintf("sed -i 's|^required\\(.*%s\\)|optional\\1|' %s", plugin, stack),
			"%s says required: without the plugin no job would start", stack)
	}
	return passed(subject, "%s, named by %s", path, stack)
}

// pluginLine is a line of plugstack.conf: its keyword (optional, required, include) and a path.
type pluginLine struct{ word, path string }

// parseStack parses the lines of a plugstack.conf.
func parseStack(text []byte) (list []pluginLine) {
	for l := range strings.Lines(string(text)) {
		l, _, _ = strings.Cut(l, "#")
		if f := strings.Fields(l); len(f) >= 2 {
			list = append(list, pluginLine{f[0], f[1]})
		}
	}
	return list
}

// findPlugin returns jobgait's line in a plugstack.conf or the files that it includes, up to a depth of 4.
func findPlugin(path string, depth int) (pluginLine, bool) {
	text, err := readPlainFile(path)
	if err != nil || depth > 4 {
		return pluginLine{}, false
	}
	for _, l := range parseStack(text) {
		if l.word != "include" {
			if filepath.Base(l.path) == plugin {
				return l, true
			}
			continue
		}
		pattern := l.path
		if !filepath.IsAbs(pattern) {
			pattern = filepath.Join(filepath.Dir(path), pattern)
		}
		files, _ := filepath.Glob(pattern)
		for _, f := range files {
			if found, ok := findPlugin(f, depth+1); ok {
				return found, true
			}
		}
	}
	return pluginLine{}, false
}

// builtFor returns the Slurm version that a plugin was compiled for, from the symbol plugin_version in the
// file.
func builtFor(path string) (version, error) {
	f, err := elf.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return version{}, err
	} else if err != nil {
		return version{}, fmt.Errorf("%s is not a SPANK plugin, want an ELF file: %w", path, err)
	}
	defer func() { _ = f.Close() }()
	symbols, err := f.DynamicSymbols()
	if err != nil {
		return version{}, fmt.Errorf("read the symbols of the SPANK plugin %s: %w", path, err)
	}
	for _, s := range symbols {
		if s.Name != "plugin_version" || int(s.Section) >= len(f.Sections) {
			continue
		}
		in, b := f.Sections[s.Section], make([]byte, 4)
		if _, err := io.ReadFull(io.NewSectionReader(in, int64(s.Value-in.Addr), 4), b); err != nil {
			return version{}, fmt.Errorf("read the Slurm version of the SPANK plugin %s: %w", path, err)
		}
		v := f.ByteOrder.Uint32(b) // major, minor and micro, a byte each
		return version{int(v >> 16), int(v >> 8 & 0xff)}, nil
	}
	return version{}, fmt.Errorf("%s is not a SPANK plugin: it has no symbol plugin_version: install jobgait's plugin "+
		"again", path)
}
