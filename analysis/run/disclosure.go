package run

// DisclosureLevel limits which names of the sampled code are stored and shown.
type DisclosureLevel string

const (
	AllNames  DisclosureLevel = "all"       // functions, libraries and classes
	Libraries DisclosureLevel = "libraries" // libraries and classes
	NoNames   DisclosureLevel = "off"
)

// ParseDisclosureLevel parses the setting of a user or a site. "" is valid and means
// that nothing was chosen. It returns false for any other text.
func ParseDisclosureLevel(text string) (DisclosureLevel, bool) {
	switch d := DisclosureLevel(text); d {
	case "", AllNames, Libraries, NoNames:
		return d, true
	}
	return "", false
}

// Least returns the stricter of two levels. "" is no limit; if both are "", it returns AllNames.
func (d DisclosureLevel) Least(e DisclosureLevel) DisclosureLevel {
	for _, level := range []DisclosureLevel{NoNames, Libraries, AllNames} {
		if d == level || e == level {
			return level
		}
	}
	return AllNames
}
