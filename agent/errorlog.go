package main

// errorLog writes errors to the agent's log.
type errorLog struct {
	log    func(error)
	logged map[string]bool // texts that logOnce has logged
}

// maxRepeatingErrors limits how many texts logOnce logs.
const maxRepeatingErrors = 16

// newErrorLog returns a log that passes errors to log.
func newErrorLog(log func(error)) errorLog { return errorLog{log: log, logged: map[string]bool{}} }

// logOnce logs an error that may come with every reading: each text once, and at most maxRepeatingErrors texts. It
// ignores nil.
func (l *errorLog) logOnce(err error) {
	if err == nil || l.logged[err.Error()] || len(l.logged) >= maxRepeatingErrors {
		return
	}
	l.logged[err.Error()] = true
	l.log(err)
}
