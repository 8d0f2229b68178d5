package configs

import (
	"path/filepath"
)

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
