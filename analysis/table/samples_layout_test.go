package table

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// Rows of one form are read as rows of many forms are: each value is the float32 nearest to its text, less the offset
// of the column, and no row is lost where the form changes.
func TestRowsOfOneForm(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	for _, form := range []struct{ time, value, places int }{{3, 1, 6}, {0, 8, 0}, {6, 5, 8}, {3, 7, 8}, {1, 0, 3}} {
		var text strings.Builder
		text.WriteString("t_s,ipc,b\n")
		var want [2][]float64
		for i := range 20_000 {
			text.WriteString(strconv.FormatFloat(1000+float64(i)*0.5, 'f', max(1, form.time), 64))
			for k := range want {
				v := r.Float64() * math.Pow10(form.value)
				if r.IntN(500) == 0 {
					v = -v // another form
				}
				s := strconv.FormatFloat(v, 'f', form.places, 64)
				x, _ := strconv.ParseFloat(s, 64)
				want[k] = append(want[k], x)
				text.WriteString("," + s)
			}
			text.WriteString([]string{"\n", "\r\n"}[form.time%2])
		}
		s, err := ReadSamples(strings.NewReader(text.String()), SampleOptions{Name: "x"})
		if err != nil || s.Set.Len() != 20_000 || s.Set.StepS != 0.5 {
			t.Fatalf("%+v: %d samples every %v s, %v", form, s.Set.Len(), s.Set.StepS, err)
		}
		for k := range want {
			for i, v := range want[k] {
				if got := s.Set.Columns[k].Values[i]; got != float32(v-s.Offsets[k]) {
					t.Fatalf("%+v: value %d of column %d is %v, want %v", form, i, k, got, float32(v-s.Offsets[k]))
				}
			}
		}
	}
}

// A character that the layout does not allow at its position ends the layout: not a digit, a separator or a sign.
func TestRowThatDoesNotFit(t *testing.T) {
	row := "12.345,0.678901\n"
	l := newRowLayout([]byte(row), []int{keptTime, 0})
	if l.length != len(row) {
		t.Fatalf("no layout of %q", row)
	}
	before := strings.Repeat("9", wordBytes)
	if !l.fits([]byte(before+row)) || !l.fits([]byte(before+"98.765,4.321012\n")) {
		t.Error("rows of the form do not fit")
	}
	for i := range row {
		for c := range 256 {
			other := []byte(before + row)
			other[wordBytes+i] = byte(c)
			digit := row[i]-'0' <= 9
			if want := byte(c) == row[i] || digit && byte(c)-'0' <= 9; l.fits(other) != want {
				t.Fatalf("%q fits: %v", other[wordBytes:], !want)
			}
		}
	}
	for _, other := range []string{"12.345,-0.678901\n", "12.345,5.\n", "12.345,123456789.1\n", "12.345,0.1234567890\n",
		"12.345,\n"} {
		if l := newRowLayout([]byte(other), []int{keptTime, 0}); l.length != 0 {
			t.Errorf("a layout of %q", other)
		}
	}
}
