package configs

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/BurntSushi/toml"

	"jobgait/analysis/note"
)

//go:embed jobgait.toml
var defaults string

// Default returns the settings of the shipped jobgait.toml.
func Default() Config {
	var c Config
	if _, err := toml.Decode(defaults, &c); err != nil {
		panic(fmt.Sprintf("embedded jobgait.toml: %v", err)) // a test reads it
	}
	return c
}

// Load returns the settings for a program: the defaults, overridden by the file that Find names and then by oneMachine
// if JOBGAIT_ONE_MACHINE is 1. For an invalid file it returns, with the error, the settings that could be read, which
// may be enough to find the log for the error. A file that cannot be read gives no settings, and none are returned
// if oneMachine fails.
func Load(getenv func(string) string, executable string) (Config, error) {
	c, err := loadFile(getenv, executable)
	if !IsOneMachine(getenv) {
		return c, err
	}
	mine, homeless := oneMachine(c, getenv)
	if err == nil {
		err = homeless
	}
	return mine, err
}

// loadFile returns the settings of the file that Find names. Without a file it returns the defaults, but a file
// that JOBGAIT_CONFIG names must exist.
func loadFile(getenv func(string) string, executable string) (Config, error) {
	path, named := Find(getenv, executable)
	text, err := readFile(path)
	switch {
	case err == nil:
		c, err := parseSettings(string(text))
		if c.Unknown != "" {
			c.Unknown = fmt.Sprintf("%s: %s", path, c.Unknown)
		}
		if err != nil {
			return c, fmt.Errorf("read the settings file %s: %w", path, err)
		}
		return c, nil
	case named || !errors.Is(err, fs.ErrNotExist) || pathExists(path):
		return Config{}, fmt.Errorf("read the settings file: %w", err)
	}
	return Default(), nil
}

// maxFile limits the size of a settings file in bytes; it is many times that of the shipped one. A hook must
// not spend its time or memory on a wrong file: 10 MB of keys took the Prolog all of its 2 s.
const maxFile = 1 << 20

// readFile reads a file of at most maxFile bytes.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("%s is larger than %d bytes, so it is probably another file: correct its path or shorten it", path,
			maxFile)
	}
	return text, err
}

// pathExists reports whether a path exists. A link to a missing file counts, because its maker meant a file and
// not the defaults.
func pathExists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// maxErrorChars limits an error about a settings file, in characters, as the log has one line per event.
const maxErrorChars = 1000

// parseSettings decodes a file's text over the defaults. Errors name key and value, and come with the settings
// that could be read.
func parseSettings(text string) (Config, error) {
	c := Default()
	meta, err := toml.Decode(text, &c)
	if err != nil {
		var syntax toml.ParseError
		if errors.As(err, &syntax) {
			return c, fmt.Errorf("line %d: %s", syntax.Position.Line, note.Clean(syntax.Message, maxErrorChars))
		}
		return c, errors.New(note.Clean(err.Error(), maxErrorChars))
	}
	c.Unknown = unknownKeysText(meta.Undecoded())
	return c, checkRanges(c)
}

// maxUnknown is how many unknown keys are named.
const maxUnknown = 5

// unknownKeysText returns one line that names up to maxUnknown unknown keys, "" for none.
func unknownKeysText(unknown []toml.Key) string {
	var list []string
	for _, key := range unknown[:min(len(unknown), maxUnknown)] {
		list = append(list, fmt.Sprintf("%.80q", key.String()))
	}
	switch n := len(unknown); {
	case n == 0:
		return ""
	case n == 1:
		return "unknown key " + list[0]
	case n > maxUnknown:
		list = append(list, fmt.Sprintf("%d more", n-maxUnknown))
	}
	return "unknown keys " + strings.Join(list, ", ")
}

// Find returns the path of the settings file and whether JOBGAIT_CONFIG named
// it. Else it is etc/jobgait.toml below the installation prefix of executable
// (<prefix>/bin/x or <prefix>/libexec/jobgait/x), if that exists, else
// /etc/jobgait/jobgait.toml, whether or not it exists.
func Find(getenv func(string) string, executable string) (path string, named bool) {
	if path := getenv("JOBGAIT_CONFIG"); path != "" {
		return path, true
	}
	if prefix := prefixOf(executable); prefix != "" {
		path := filepath.Join(prefix, "etc", "jobgait.toml")
		if pathExists(path) {
			return path, false
		}
	}
	return "/etc/jobgait/jobgait.toml", false
}

// prefixOf returns the directory above libexec/jobgait if the executable is there, else the parent of the
// executable's directory, as for bin; "" for a relative path, which would depend on the working directory.
func prefixOf(executable string) string {
	if !filepath.IsAbs(executable) {
		return ""
	}
	dir := filepath.Dir(executable)
	up := filepath.Dir(dir)
	if filepath.Base(up) == "libexec" {
		return filepath.Dir(up)
	}
	return up
}

// Environment returns, as NAME=value, the variables of its own environment that a program of jobgait passes to the
// programs of jobgait that it starts, as far as they are set. It passes no others of its own; `jobgait run` adds the
// variables that describe the run to its hooks.
func Environment(getenv func(string) string) []string {
	var env []string
	for _, name := range []string{"JOBGAIT_CONFIG", oneMachineName, "HOME", "XDG_STATE_HOME", "XDG_DATA_HOME",
		"SLURM_CONF", "TZ"} {
		if v := getenv(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	return env
}
