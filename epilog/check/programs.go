package check

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"jobgait/configs"
)

// checkSettings checks that the settings file exists, can be used and has no unknown keys.
func (n Node) checkSettings() Finding {
	const subject = "settings"
	if n.Unusable != nil {
		return failure(subject, "${EDITOR:-vi} "+n.Settings, "%v: no job is watched", n.Unusable)
	}
	if n.NoSlurm {
		return passed(subject, "none, and no Slurm here (no %s): checked as a machine for jobgait run",
			configs.Default().Slurm.Scontrol)
	}
	if _, err := os.Lstat(n.Settings); errors.Is(err, fs.ErrNotExist) {
		prefix := filepath.Dir(filepath.Dir(n.dir()))
		return warning(subject, fmt.Sprintf("install -D -m 644 %s %s",
			filepath.Join(prefix, "share/doc/jobgait/jobgait.toml"),
			n.Settings),
			"%s does not exist: the defaults apply", n.Settings)
	}
	if n.Config.Unknown != "" {
		return failure(subject, "${EDITOR:-vi} "+n.Settings,
			"%s: misspelt, or of a newer version than this node's; the other settings apply", n.Config.Unknown)
	}
	return passed(subject, "%s", n.Settings)
}

// installed are the names of the programs to check: those of the hooks and the user's.
var installed = [...]string{"jobgait", "jobgait-prolog", "jobgait-agent", "jobgait-epilog"}

// checkPrograms checks that all programs are installed, that only root can change them, and that they have the
// same version.
func (n Node) checkPrograms(ctx context.Context) (list []Finding) {
	const subject = "programs"
	var versions []string
	for _, name := range installed {
		path := filepath.Join(n.dir(), name)
		if err := runnable(path); err != nil {
			do := "make install"
			if !errors.Is(err, fs.ErrNotExist) {
				do = fmt.Sprintf("chown root:root %[1]s && chmod 755 %[1]s", path)
			}
			list = append(list, failure(subject, do, "%v", err))
			continue
		}
		if v := versionOf(ctx, path); v != configs.Version {
			versions = append(versions, name+" "+v)
		}
	}
	if list != nil {
		return list
	}
	list = append(list, passed(subject, "%s", n.dir()))
	if versions != nil {
		return append(list, warning("versions", "make install",
			"beside jobgait doctor %s there are %s: install them together",
			configs.Version, strings.Join(versions, ", ")))
	}
	return append(list, passed("versions", "all are %s", configs.Version))
}

// runnable returns an error for a file that is not executable or, if this process is root, that other accounts
// can change.
func runnable(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular() || info.Mode()&0o111 == 0:
		return fmt.Errorf("%s is not an executable file (mode %v)", path, info.Mode())
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if ok && isRoot() && (st.Uid != 0 || info.Mode()&0o022 != 0) {
		return fmt.Errorf("accounts other than root can change %s (uid %d, mode %04o), which root runs",
			path, st.Uid,
			info.Mode().Perm())
	}
	return nil
}

// versionLimit is the time limit for running a program with --version.
const versionLimit = 5 * time.Second

// versionLine matches the version line that each program of jobgait prints.
var versionLine = regexp.MustCompile(`^jobgait(?:-[a-z]+)?(?: version)? ([0-9][0-9A-Za-z.+~-]{0,40}?):?(?:\s|$)`)

// versionOf runs a program with --version and returns the version that it prints, or a text that says that it
// prints none.
func versionOf(ctx context.Context, path string) string {
	out, err := runCommand(ctx, versionLimit, nil, path, "--version")
	if m := versionLine.FindSubmatch(out); m != nil {
		return string(m[1])
	}
	if err != nil {
		return fmt.Sprintf("of unknown version (%v)", err)
	}
	return "of unknown version"
}
