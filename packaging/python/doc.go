// Package python contains jgp.py, which returns the columns of a profile to Python programs by running `jobgait
// export`, so that there is only one decoder of profiles, in Go. The only Go code is the test that compares the
// two.
package python
