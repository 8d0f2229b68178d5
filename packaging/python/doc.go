// Package python holds jgp.py, which returns the columns of a profile to Python programs by running `jobgait
// export`, so that there is only one decoder of profiles, in Go. There is no Go code but the test that compares
// the two.
package python
