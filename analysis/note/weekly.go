package note

// What the days of the week do to a history of runs.
const (
	Weekly Code = "weekly" // runs of some weekdays take longer: taken out before changes are looked for
)
