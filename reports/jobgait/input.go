package main

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
)

// input is a file of anybody's numbers, unpacked if it was packed.
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

// openInput opens a file for reading; "-" is standard input. Gzip is known by
// its first two bytes, on standard input too.
func openInput(cmd *cobra.Command, path string) (*input, error) {
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
	}
	in.Reader = bufio.NewReaderSize(r, 1<<16)
	if head, _ := in.Peek(2); len(head) == 2 && head[0] == 0x1f && head[1] == 0x8b {
		z, err := gzip.NewReader(in.Reader)
		if err != nil {
			_ = in.Close()
			return nil, fmt.Errorf("%s: unpack: %w", in.Name, err)
		}
		in.Reader = bufio.NewReaderSize(z, 1<<16)
	}
	return in, nil
}
