package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"jobgait/agent/as"
)

// nodeAnswerLine is the length of the text in a line of a node's answer. srun forwards lines of up to 1024 bytes as a
// whole and mixes longer ones with those of other nodes.
const nodeAnswerLine = 768

// writeNodeAnswer writes the stacks of a node as lines "NODE TEXT". The texts together are the compressed JSON in
// base 64; the last line has the text ".".
func writeNodeAnswer(out io.Writer, n nodeStacks) error {
	var text bytes.Buffer
	encoder := base64.NewEncoder(base64.StdEncoding, &text)
	compressor := gzip.NewWriter(encoder)
	if err := errors.Join(json.NewEncoder(compressor).Encode(n), compressor.Close(), encoder.Close()); err != nil {
		return fmt.Errorf("internal error, please report it: encode the stacks of node %s: %w", n.Node, err)
	}
	lines := bufio.NewWriter(out)
	for text.Len() > 0 {
		fmt.Fprintf(lines, "%s %s\n", n.Node, text.Next(nodeAnswerLine)) // Flush returns the error
	}
	fmt.Fprintf(lines, "%s .\n", n.Node)
	return lines.Flush()
}

// readNodeAnswers reads the lines of several nodes, in any order between nodes, and calls handle with the stacks of
// every node whose answer is complete. It skips lines that are of none of nodes, such as output of a site's TaskProlog,
// and a node's lines after its answer. The error joins those of malformed answers.
func readNodeAnswers(in io.Reader, nodes []string, handle func(nodeStacks)) (malformed error) {
	texts := map[string]*bytes.Buffer{}
	for _, node := range nodes {
		texts[node] = &bytes.Buffer{}
	}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		node, text, _ := strings.Cut(lines.Text(), " ")
		b, ok := texts[node]
		if !ok {
			continue
		}
		if text != "." {
			b.WriteString(text)
			continue
		}
		delete(texts, node)
		n, err := decodeNodeAnswer(b)
		if err != nil {
			malformed = errors.Join(malformed, fmt.Errorf("decode the answer of node %s: %w", node, err))
			continue
		}
		n.Node = node
		for i := range n.Tasks {
			n.Tasks[i].Node = node
		}
		handle(n)
	}
	if err := lines.Err(); err != nil {
		malformed = errors.Join(malformed, fmt.Errorf("read the answers of the nodes: %w", err))
	}
	return malformed
}

// decodeNodeAnswer decodes the text of a node's lines, of at most as.MaxCollectAnswer bytes of JSON.
func decodeNodeAnswer(text io.Reader) (n nodeStacks, err error) {
	r, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, text))
	if err != nil {
		return nodeStacks{}, err
	}
	err = json.NewDecoder(io.LimitReader(r, as.MaxCollectAnswer)).Decode(&n)
	return n, err
}
