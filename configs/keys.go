package configs

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/BurntSushi/toml"
)

// keys returns every key as section.key, in the order of Config.
func keys() []string {
	var keys []string
	sections := reflect.TypeFor[Config]()
	for i := range sections.NumField() {
		section := sections.Field(i)
		if section.Type.Kind() != reflect.Struct {
			continue
		}
		for j := range section.Type.NumField() {
			keys = append(keys, section.Tag.Get("toml")+"."+section.Type.Field(j).Tag.Get("toml"))
		}
	}
	return keys
}

// maxUnknown is how many unknown keys are named.
const maxUnknown = 5

// strange is one line on keys that are not known, "" for none.
func strange(unknown []toml.Key) string {
	var list []string
	for _, key := range unknown[:min(len(unknown), maxUnknown)] {
		list = append(list, fmt.Sprintf("%.80q (nearest known: %s)", key.String(), nearest(key.String(), keys())))
	}
	switch n := len(unknown); {
	case n == 0:
		return ""
	case n == 1:
		return "unknown key " + list[0]
	case n > maxUnknown:
		list = append(list, fmt.Sprintf("%d more", n-maxUnknown))
	}
	return "unknown keys " + strings.Join(list, ", ")
}

// nearest returns the known key with the fewest edits from key. A key in the
// wrong section is found by its last part, at the price of an edit and a half.
func nearest(key string, known []string) string {
	best, least := "", 1<<30
	last := func(s string) string { return s[strings.LastIndex(s, ".")+1:] }
	for _, k := range known {
		d := min(2*edits(key, k), 2*edits(last(key), last(k))+3)
		if d < least {
			best, least = k, d
		}
	}
	return best
}

// edits is Levenshtein's distance. Keys longer than 100 bytes are cut: no known
// one is near them.
func edits(a, b string) int {
	a, b = a[:min(len(a), 100)], b[:min(len(b), 100)]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
