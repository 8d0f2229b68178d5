package main

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"jobgait/agent/profile"
)

// input is an open input file, decompressed if it was gzipped.
type input struct {
	*bufio.Reader
	// Name is for messages: the path as given, or "standard input".
	Name   string
	closer io.Closer
}

// Close closes the file; standard input stays open.
func (in *input) Close() error {
	if in.closer == nil {
		return nil
	}
	return in.closer.Close()
}

// openInput opens a file for reading; "-" is standard input. It recognizes gzip by its first two bytes, on
// standard input too.
func openInput(cmd *cobra.Command, path string) (*input, error) {
	if path == "" {
		return nil, usageError{errors.New("the name of the input file is empty: name a file, or - for standard input")}
	}
	in := &input{Name: path}
	var r io.Reader
	if path == "-" {
		in.Name, r = "standard input", cmd.InOrStdin()
	} else {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		in.closer, r = f, f
		if st, err := f.Stat(); err == nil && st.IsDir() {
			_ = f.Close()
			return nil, fmt.Errorf("%s is a directory: name a file", path)
		}
	}
	in.Reader = bufio.NewReaderSize(r, 1<<16)
	if head, _ := in.Peek(2); len(head) == 2 && head[0] == 0x1f && head[1] == 0x8b {
		z, err := gzip.NewReader(in.Reader)
		if err != nil {
			_ = in.Close()
			return nil, fmt.Errorf("%s: unpack: the file begins like one of gzip but is damaged (%w): copy or compress it "+
				"again", in.Name, err)
		}
		in.Reader = bufio.NewReaderSize(truncationReader{z}, 1<<16)
		if _, err := in.Peek(1); err != nil && err != io.EOF {
			_ = in.Close()
			return nil, fmt.Errorf("%s: unpack: %w", in.Name, err)
		}
	}
	return in, nil
}

// truncationReader reads compressed data and returns a clear error if the file is cut off.
type truncationReader struct{ packed io.Reader }

// Read reads unpacked data. It returns an error that says what to do if the compressed file is cut off or damaged.
func (w truncationReader) Read(b []byte) (int, error) {
	n, err := w.packed.Read(b)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = fmt.Errorf("the compressed file is cut off (%w): copy it again", err)
	case errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader) ||
		errors.As(err, new(flate.CorruptInputError)):
		err = fmt.Errorf("the compressed file is damaged (%w): copy or compress it again", err)
	}
	return n, err
}

// notAProfileError returns an error that names the expected kind of file if path is a directory or err says that the
// file has no profile's header; else it returns err.
func notAProfileError(path string, err error) error {
	if st, serr := os.Stat(path); serr == nil && st.IsDir() {
		return fmt.Errorf("%s is a directory: name a profile, such as profile.jgp", path)
	}
	if errors.Is(err, profile.ErrNoHeader) {
		return fmt.Errorf("%s is not a profile of jobgait, or its beginning is damaged: name a profile, such as profile.jgp",
			path)
	}
	return err
}
