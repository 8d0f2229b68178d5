package configs

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/BurntSushi/toml"
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
// that Find names if there is one, over that the paths of JOBGAIT_ONE_MACHINE.
func Load(getenv func(string) string, executable string) (Config, error) {
	c := Default()
	path, named := Find(getenv, executable)
	if path != "" {
		text, err := os.ReadFile(path)
		switch {
		case err == nil:
			if c, err = Parse(string(text)); err != nil {
				return Config{}, fmt.Errorf("%s: %w", path, err)
			}
		case named || !errors.Is(err, fs.ErrNotExist):
			return Config{}, fmt.Errorf("read settings: %w", err)
		}
	}
	if getenv("JOBGAIT_ONE_MACHINE") == "1" {
		return OneMachine(c, getenv)
	}
	return c, nil
}

// Parse reads a file's text over the defaults. Errors name key and value, and
// for an unknown key the known one nearest to it.
func Parse(text string) (Config, error) {
	c := Default()
	meta, err := toml.Decode(text, &c)
	if err != nil {
		var syntax toml.ParseError
		if errors.As(err, &syntax) {
			return Config{}, fmt.Errorf("line %d: %s", syntax.Position.Line, oneLine(syntax.Message))
		}
		return Config{}, errors.New(oneLine(err.Error()))
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		key := unknown[0].String()
		return Config{}, fmt.Errorf("unknown key %.80q (nearest known: %s)", key, nearest(key, Keys()))
	}
	return c, Check(c)
}
