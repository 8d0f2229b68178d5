module jobgait

go 1.26.0

require (
	github.com/BurntSushi/toml v1.6.0 // the settings file
	github.com/godbus/dbus/v5 v5.2.4 // the call to systemd for a scope: no cgo, and no systemd-run that is waited for
	github.com/hodgesds/perf-utils v0.7.0 // attributes of perf events; the baseline that the rings are measured against
	github.com/ianlancetaylor/demangle v0.0.0-20260724033716-83e58baca724 // names of C++ and Rust
	github.com/klauspost/compress v1.20.3 // zstd of the profile
	github.com/mattn/go-sqlite3 v1.14.52 // the history
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3 // tests only: JSON reports against their schema
	github.com/spf13/cobra v1.10.2 // verbs, flags and help of jobgait
	github.com/spf13/pflag v1.0.9 // cobra's flags
	github.com/therootcompany/xz v1.0.1 // symbols that Fedora packs: of the readers of xz the one that bounds the dictionary of a hostile file
	golang.org/x/sys v0.49.0 // perf_event_open, pidfd, openat and other system calls
	gonum.org/v1/gonum v0.17.0 // Fourier transforms of the period detector, eigenvectors of its projection, distributions of statistical tests
)

require (
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	go.uber.org/atomic v1.7.0 // indirect
	go.uber.org/multierr v1.6.0 // indirect
	golang.org/x/text v0.23.0 // indirect
)
