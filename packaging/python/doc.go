// Package python holds jgp.py, which gives Python the columns of a profile by way of
// `jobgait export`: there is one decoder of profiles, in Go. There is no Go code but
// the test that compares the two.
package python
