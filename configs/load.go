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

// Load returns the settings for a program: the defaults, over them the file
// that find names if there is one, over that the paths of JOBGAIT_ONE_MACHINE.
// With an error come the settings as far as they could be read, none of a file
// that could not: good enough to find the log that the error belongs into.
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

func loadFile(getenv func(string) string, executable string) (Config, error) {
	path, named := Find(getenv, executable)
	text, err := readFile(path)
	switch {
	case err == nil:
		c, err := parse(string(text))
		if c.Unknown != "" {
			c.Unknown = fmt.Sprintf("%s: %s", path, c.Unknown)
		}
		if err != nil {
			return c, fmt.Errorf("%s: %w", path, err)
		}
		return c, nil
	case named || !errors.Is(err, fs.ErrNotExist) || exists(path):
		return Config{}, fmt.Errorf("read settings: %w", err)
	}
	return Default(), nil
}

// maxFile is the largest file of settings in bytes, 200 times the shipped one. A
// hook must not spend its time, nor a job's memory, on whatever somebody has put
// in its place: 10 MB of keys took the Prolog all of its 2 s.
const maxFile = 1 << 20

func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("%s is larger than %d bytes", path, maxFile)
	}
	return text, err
}

// exists is whether there is anything of that name. A link that leads nowhere was
// made by somebody who meant a file: the defaults are not what it says.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// maxLine is the longest complaint of a file in characters: it goes into a log of one
// line an event.
const maxLine = 1000

// parse reads a file's text over the defaults. Errors name key and value; what
// could be read comes too.
func parse(text string) (Config, error) {
	c := Default()
	meta, err := toml.Decode(text, &c)
	if err != nil {
		var syntax toml.ParseError
		if errors.As(err, &syntax) {
			return c, fmt.Errorf("line %d: %s", syntax.Position.Line, note.Clean(syntax.Message, maxLine))
		}
		return c, errors.New(note.Clean(err.Error(), maxLine))
	}
	c.Unknown = strange(meta.Undecoded())
	return c, check(c)
}

// maxUnknown is how many unknown keys are named.
const maxUnknown = 5

// strange is one line on keys that are not known, "" for none.
func strange(unknown []toml.Key) string {
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
		if exists(path) {
			return path, false
		}
	}
	return "/etc/jobgait/jobgait.toml", false
}

// prefixOf returns the directory above bin or libexec/jobgait; "" for a
// relative path, which would depend on the working directory.
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

// Environment returns, as NAME=value, the variables that a program of jobgait
// hands on to those it starts; their environment holds nothing else.
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
