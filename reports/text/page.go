package text

import (
	"io"
	"slices"
	"strings"
)

// PageWidth is the width of a text report in columns: that of a terminal, a mail or a job's output.
const PageWidth = 80

// Page collects the lines of a text; with ASCII set it replaces characters beyond ASCII.
type Page struct {
	b     strings.Builder
	ASCII bool
}

// Line adds one line. It cuts a line that is too long, which happens only to text of users, and removes spaces
// at the end. If ASCII is set, other characters become question marks.
func (p *Page) Line(s string) {
	if p.ASCII {
		s = asciiOnly(s)
	}
	p.b.WriteString(Cut(strings.TrimRight(s, " "), PageWidth))
	p.b.WriteByte('\n')
}

// LineUncut adds a line that readers copy, which is never cut.
func (p *Page) LineUncut(s string) { p.b.WriteString(s + "\n") }

// Print writes the page.
func (p *Page) Print(w io.Writer) error {
	_, err := io.WriteString(w, p.b.String())
	return err
}

// Ends adds a line with text at both ends; the left text is cut if both do not fit.
func (p *Page) Ends(left, right string) {
	right = Cut(right, PageWidth/2)
	room := PageWidth - 1 - Width(right)
	p.Line(PadRight(Cut(left, room-2), room) + right)
}

// Section begins a section with an empty line, a title and a remark beside it.
func (p *Page) Section(title, remark string) {
	p.Line("")
	if remark != "" {
		title += "   " + remark
	}
	p.Line(" " + title)
}

// Text adds wrapped text after head; further lines are indented to the beginning of the text.
func (p *Page) Text(head, s string) {
	for _, l := range Wrap(s, PageWidth-1-Width(head)) {
		p.Line(head + l)
		head = Spaces(Width(head))
	}
}

// Columns adds rows of text, the first cell flush left and the others flush right.
func (p *Page) Columns(rows [][]string) {
	var out []Row
	for _, cells := range rows {
		line := Row{Left(cells[0])}
		for _, c := range cells[1:] {
			line = append(line, Right(c))
		}
		out = append(out, line)
	}
	p.Table(out)
}

// indent is the number of columns before a table, between that between two of its columns.
const indent, between = 2, 2

// columnWidths returns the widths of the columns of a table: those of their widest cells.
func columnWidths(rows []Row) (w []int) {
	for _, row := range rows {
		for i, c := range row {
			if i == len(w) {
				w = append(w, 0)
			}
			w[i] = max(w[i], Width(c.Text))
		}
	}
	return w
}

// overhang returns by how many columns a table with these columns is wider than the page; negative: narrower.
func overhang(widths []int) int {
	over := indent - between - PageWidth + 1
	for _, n := range widths {
		over += n + between
	}
	return over
}

// Room returns by how many columns a table may become wider without being cut; 0 or less: none.
func Room(rows []Row) int { return -overhang(columnWidths(rows)) }

// Table adds rows whose columns are as wide as their widest cell. It leaves out Wide cells. If the rows are too
// wide for the page, the widest flush-left columns are cut.
func (p *Page) Table(rows []Row) {
	rows = slices.Clone(rows)
	for k, row := range rows {
		rows[k] = slices.DeleteFunc(slices.Clone(row), func(c Cell) bool { return c.Wide })
	}
	w := columnWidths(rows)
	for over := overhang(w); over > 0; over-- {
		widest := 0
		for i := range w {
			if rows[0][i].Left && (w[i] > w[widest] || !rows[0][widest].Left) {
				widest = i
			}
		}
		w[widest] = max(4, w[widest]-1)
	}
	for _, row := range rows {
		line := Spaces(indent - between)
		for i, c := range row {
			if line += Spaces(between); c.Left {
				line += PadRight(c.Text, w[i])
			} else {
				line += PadLeft(c.Text, w[i])
			}
		}
		p.Line(line)
	}
}

// asciiOnly replaces each character beyond ASCII by as many question marks as it has columns.
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
