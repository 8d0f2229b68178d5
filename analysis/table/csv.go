package table

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"jobgait/analysis/quantity"
)

// dialect is how the lines of a CSV file are divided into cells.
type dialect struct {
	separator byte // ' ' is any run of blanks and tabs
}

// separators are tried in this order where several divide the lines equally well.
const separators = ",;\t| "

// sampleLines is how many lines decide about separator, header and kinds of columns.
const sampleLines = 24

// split divides a line into cells without the blanks and quotes around them, and appends them to cells[:0]. The result
// is valid as long as the line is. ok is false if a quote is not closed, or if text follows a closing quote in the same
// cell.
func (d dialect) split(line []byte, cells [][]byte) (_ [][]byte, ok bool) {
	cells = cells[:0]
	rest := line
	for {
		rest = trimLeft(rest, d.separator)
		if len(rest) == 0 && d.separator == ' ' && len(cells) > 0 {
			return cells, true
		}
		if len(rest) > 0 && rest[0] == '"' {
			cell, after, ok := quoted(rest)
			after = bytes.TrimLeft(after, " ")
			if !ok || len(after) > 0 && after[0] != d.separator && d.separator != ' ' {
				return cells, false
			}
			cells = append(cells, cell)
			if len(after) == 0 {
				return cells, true
			}
			rest = after
			if d.separator != ' ' {
				rest = after[1:]
			}
			continue
		}
		end := bytes.IndexByte(rest, d.separator)
		if d.separator == ' ' {
			end = bytes.IndexAny(rest, " \t")
		}
		if end < 0 {
			return append(cells, bytes.TrimSpace(rest)), true
		}
		cells = append(cells, bytes.TrimSpace(rest[:end]))
		rest = rest[end+1:]
	}
}

// trimLeft returns b without leading blanks, and without tabs unless they are the separator.
func trimLeft(b []byte, separator byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t' && separator != '\t') {
		b = b[1:]
	}
	return b
}

// quoted reads the cell in double quotes with which b begins; two quotes inside it stand for one. rest is what follows
// the closing quote. ok is false without a closing quote.
func quoted(b []byte) (cell, rest []byte, ok bool) {
	b = b[1:]
	i := bytes.IndexByte(b, '"')
	if i < 0 {
		return nil, nil, false
	}
	if i+1 == len(b) || b[i+1] != '"' {
		return bytes.TrimSpace(b[:i]), b[i+1:], true
	}
	for {
		cell = append(cell, b[:i]...)
		b = b[i+1:]
		if len(b) == 0 || b[0] != '"' {
			return bytes.TrimSpace(cell), b, true
		}
		cell = append(cell, '"')
		b = b[1:]
		if i = bytes.IndexByte(b, '"'); i < 0 {
			return nil, nil, false
		}
	}
}

// csvReader reads a CSV file row by row.
type csvReader struct {
	in *source
	dialect
	cells
	// names are those of the header, or "column 1" and so on.
	names  []string
	headed bool
	// sample are the first rows behind the header that have all cells.
	sample [][]string
	fields [][]byte // of the row that next returned
}

// wrongQuote is the error for a line with a quote that RFC 4180 does not allow.
const wrongQuote = `a quote is not closed, or stands inside a field: quote the whole field, and double a quote in it`

// openCSV finds the separator and the header of a CSV file. It consumes the header, if there is one, but not the first
// row of values. Without a header the columns are named "column 1" and so on.
func openCSV(in *source) (*csvReader, error) {
	lines, comment, err := in.sample(sampleLines)
	if err != nil {
		return nil, err
	}
	if len(lines) == 0 {
		return nil, fmt.Errorf("%s: the file has no data: want rows of numbers", in.name)
	}
	r := &csvReader{in: in}
	rows := r.choose(lines)
	if len(rows[0]) == 0 {
		return nil, in.failAt(1, wrongQuote)
	}
	if len(rows[0]) > in.limits.Columns {
		return nil, in.failAt(1, "the first line has %d columns, more than %d: %w", len(rows[0]), in.limits.Columns,
			errTooLarge)
	}
	switch {
	case r.isHeader(rows):
		r.headed, r.names, r.sample = true, withoutTrailing(rows[0]), rows[1:]
		if _, err := in.nextContent(); err != nil {
			return nil, err
		}
	case r.isCommentHeader(comment, rows):
		r.headed, r.sample = true, rows
	default:
		r.sample = rows
		for i := range rows[0] {
			r.names = append(r.names, fmt.Sprintf("column %d", i+1))
		}
	}
	r.sample = slices.DeleteFunc(slices.Clone(r.sample), func(row []string) bool { return len(row) < len(r.names) })
	return r, r.checkNames()
}

// choose sets the separator that divides the first lines into equal numbers of cells, most of them numbers and times,
// and returns the rows. It sets decimalComma, so that numbers may have decimal commas, if the separator is not a comma
// and the lines after the first have commas.
func (r *csvReader) choose(lines [][]byte) [][]string {
	best, bestScore := byte(','), -1.0
	for _, c := range []byte(separators) {
		r.separator, r.decimalComma = c, c != ','
		rows := r.rows(lines)
		if score := r.score(rows); score > bestScore {
			best, bestScore = c, score
		}
	}
	r.separator = best
	r.decimalComma = best != ',' && bytes.IndexByte(bytes.Join(lines[min(1, len(lines)-1):], nil), ',') >= 0
	return r.rows(lines)
}

// rows divides lines into cells.
func (r *csvReader) rows(lines [][]byte) [][]string {
	var out [][]string
	for _, line := range lines {
		cells, _ := r.split(line, nil)
		row := make([]string, len(cells))
		for i, c := range cells {
			row[i] = string(c)
		}
		out = append(out, row)
	}
	return out
}

// score returns the share of the cells, in the rows after the first, that are numbers, times or empty. It is negative
// if the first row has only one cell, or if the number of cells of most rows differs from that of the first row by more
// than an empty one at the end.
func (r *csvReader) score(rows [][]string) float64 {
	width := len(withoutTrailing(rows[0]))
	if width < 2 {
		return -1
	}
	known, all, odd := 0, 0, 0
	for _, row := range rows[min(1, len(rows)-1):] {
		if n := len(row); n != width && n != len(rows[0]) && len(withoutTrailing(row)) != width {
			odd++
		}
		for _, cell := range row {
			if all++; r.isValue(cell) || cell == "" {
				known++
			}
		}
	}
	if 2*odd > len(rows) {
		return -1
	}
	return float64(known) / float64(max(1, all))
}

// isValue reports whether a cell is a number or a time that is not missing.
func (r *csvReader) isValue(cell string) bool {
	k := r.kindOf(cell)
	return k == numeric || k == dates
}

// isHeader reports whether the first row has names: none of its cells is a number or a time, or one is a known
// name and rows follow.
func (r *csvReader) isHeader(rows [][]string) bool {
	values, known := 0, false
	for _, cell := range rows[0] {
		if r.isValue(cell) {
			values++
		}
		known = known || nameOf(cell).isKnown()
	}
	return values == 0 || known && len(rows) > 1
}

// isCommentHeader reports whether the comment before the first row is a header, as numpy and gnuplot users
// write them: at least two names, as many as the row has cells. If so, it sets names.
func (r *csvReader) isCommentHeader(comment []byte, rows [][]string) bool {
	comment = bytes.TrimSpace(bytes.TrimLeft(bytes.TrimSpace(comment), "#"))
	names := r.rows([][]byte{comment})[0]
	if len(names) < 2 || len(names) != len(rows[0]) {
		return false
	}
	for _, name := range names {
		if name == "" || r.isValue(name) {
			return false
		}
	}
	r.names = names
	return true
}

// withoutTrailing returns the row without the empty cell behind a trailing separator.
func withoutTrailing(row []string) []string {
	if n := len(row); n > 1 && row[n-1] == "" {
		return row[:n-1]
	}
	return row
}

// checkNames rejects a header in which two columns have one name, and names columns without a name by their
// number.
func (r *csvReader) checkNames() error {
	seen := map[string]bool{}
	for i, name := range r.names {
		if name == "" {
			r.names[i] = fmt.Sprintf("column %d", i+1)
			continue
		}
		if seen[name] {
			return r.in.fail("the header has column %q twice: rename one", short(name))
		}
		seen[name] = true
	}
	return nil
}

// next returns the cells of the next row, as many as there are names; they are valid
// until the next call. It skips headers between the rows, as in files that were joined.
// io.EOF is the end.
func (r *csvReader) next() ([][]byte, error) {
	for {
		line, err := r.in.nextContent()
		if err != nil {
			return nil, err
		}
		cells, err := r.row(line)
		if err != nil || !r.repeatsHeader(cells) {
			return cells, err
		}
	}
}

// repeatsHeader reports whether a row is the header again.
func (r *csvReader) repeatsHeader(cells [][]byte) bool {
	for i, name := range r.names {
		if string(cells[i]) != name {
			return false
		}
	}
	return r.headed
}

// row divides a line into as many cells as there are names; it drops an empty cell behind a trailing separator. Another
// number of cells is an error. A row with a line end inside quotes continues in the next lines. If the input is cut off
// in this row, it returns io.EOF.
func (r *csvReader) row(line []byte) ([][]byte, error) {
	var ok bool
	r.fields, ok = r.split(line, r.fields)
	if !ok {
		if r.in.dropCut() {
			return nil, io.EOF
		}
		return r.continued(line)
	}
	if n := len(r.fields); n == len(r.names)+1 && len(r.fields[n-1]) == 0 {
		r.fields = r.fields[:n-1]
	}
	if len(r.fields) != len(r.names) {
		if len(r.fields) < len(r.names) && r.in.dropCut() {
			return nil, io.EOF
		}
		what := "the first line"
		if r.headed {
			what = "the header"
		}
		return nil, r.in.fail("the line has %s but %s has %d: want equal numbers", quantity.Plural(len(r.fields), "field"),
			what, len(r.names))
	}
	return r.fields, nil
}

// continued joins a line whose quote is not closed with the lines that follow, at most mostLines, with a
// blank between them, and returns the cells.
func (r *csvReader) continued(line []byte) ([][]byte, error) {
	const mostLines = 100
	all, first := bytes.Clone(line), r.in.number
	for range mostLines {
		more, err := r.in.next()
		if err != nil {
			break
		}
		all = append(append(all, ' '), more...)
		if _, ok := r.split(all, nil); ok {
			return r.row(all)
		}
	}
	return nil, r.in.failAt(first, wrongQuote)
}

// badRow returns the error for a row that cannot be read: nil if the input ends in it and there are rows before
// it, else why with the line.
func (r *csvReader) badRow(rows int, why error) error {
	if rows > 0 && r.in.dropCut() {
		return nil
	}
	return r.in.fail("%w", why)
}

// column returns the index of a column that the user named: the one with exactly this name, else the first
// that differs in upper and lower case only.
func (r *csvReader) column(name string) (int, error) {
	if i := slices.Index(r.names, name); i >= 0 {
		return i, nil
	}
	for i, n := range r.names {
		if strings.EqualFold(n, name) {
			return i, nil
		}
	}
	return 0, fmt.Errorf("%s: the file has no column %q: the columns are %.200s",
		r.in.name, short(name), strings.Join(r.names, ", "))
}

// describe returns what, a text that says how a file was interpreted, followed by the number of its columns and, if
// numbers may have them, "decimal commas".
func (r *csvReader) describe(what string) string {
	out := fmt.Sprintf("%s, %s", what, quantity.Plural(len(r.names), "field"))
	if r.decimalComma {
		out += ", decimal commas"
	}
	return out
}
