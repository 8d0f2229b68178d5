package note

// What the search for a period in many columns adds to why none is named.
const OnlyClocks Code = "only_clocks" // the only periods are those of timers
