// Package python holds jgp.py, which reads the columns of a profile with nothing
// but the standard library of Python 3.6: for people who look at profiles where
// jobgait is not installed. There is no Go code but the test that compares it
// with the writer. It reads 60 s of samples in a second; of the code pages it
// says nothing.
package python
