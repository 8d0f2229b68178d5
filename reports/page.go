package reports

import (
	"strings"
)

// columns is the width of the text report: that of a terminal, a mail, a
// job's output.
const columns = 80

// page collects the lines of a text report.
type page struct {
	b     strings.Builder
	ascii bool
}

// line adds one line. It cuts what is too long: that never happens to figures,
// only to text of users, and a broken layout would be worse. Spaces at the end
// go.
func (p *page) line(s string) {
	if p.ascii {
		s = asciiOnly(s)
	}
	p.b.WriteString(cut(strings.TrimRight(s, " "), columns))
	p.b.WriteByte('\n')
}

// ends adds a line with text at both ends; the left one gives way.
func (p *page) ends(left, right string) {
	right = cut(right, columns/2)
	room := columns - 1 - width(right)
	p.line(padRight(cut(left, room-2), room) + right)
}

// section begins a section with an empty line, a title and a remark beside it.
func (p *page) section(title, remark string) {
	p.line("")
	if remark != "" {
		title += "   " + remark
	}
	p.line(" " + title)
}

// text adds wrapped text; lines after the first hang under its beginning.
func (p *page) text(head, s string) {
	for _, l := range wrap(s, columns-1-width(head)) {
		p.line(head + l)
		head = spaces(width(head))
	}
}

// table adds rows whose columns are as wide as their widest cell. If the rows
// are too wide for the page, the widest columns flush left are cut.
func (p *page) table(rows []row) {
	var w []int
	for _, row := range rows {
		for i, c := range row {
			if i == len(w) {
				w = append(w, 0)
			}
			w[i] = max(w[i], width(c.Text))
		}
	}
	const indent, between = 2, 2
	over := indent - between - columns + 1
	for _, n := range w {
		over += n + between
	}
	for ; over > 0; over-- {
		widest := 0
		for i := range w {
			if rows[0][i].Left && (w[i] > w[widest] || !rows[0][widest].Left) {
				widest = i
			}
		}
		w[widest] = max(4, w[widest]-1)
	}
	for _, row := range rows {
		line := spaces(indent - between)
		for i, c := range row {
			if line += spaces(between); c.Left {
				line += padRight(c.Text, w[i])
			} else {
				line += padLeft(c.Text, w[i])
			}
		}
		p.line(line)
	}
}

// asciiOnly replaces what is not ASCII by as many question marks as it has
// columns.
func asciiOnly(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r < 0x80 {
			b.WriteRune(r)
			continue
		}
		b.WriteString(strings.Repeat("?", runeWidth(r)))
	}
	return b.String()
}
