package peek

import "slices"

// lateReply is a reply that arrived after Ask had returned ErrTimeout, with its request.
type lateReply struct {
	reply
	to ProcRequest
}

// Late replies are kept for maxLateNS after the file was read, since what a process maps and runs changes. Together
// they have at most maxLateBytes.
const (
	maxLateNS    = 2e9
	maxLateBytes = 1 << 21
)

// keepLate keeps a late reply to the last request until that is repeated. It drops the oldest replies if all together
// exceed maxLateBytes.
func (c *Child) keepLate(a reply) {
	c.late = append(c.late, lateReply{a, c.open})
	size := 0
	for _, l := range c.late {
		size += replyHeadBytes + len(l.text)
	}
	for size > maxLateBytes {
		size -= replyHeadBytes + len(c.late[0].text)
		c.late = slices.Delete(c.late, 0, 1)
	}
}

// takeLate removes the late replies that are too old, and returns and removes that to a request, if there is one.
func (c *Child) takeLate(q ProcRequest) (reply, bool) {
	if len(c.late) == 0 {
		return reply{}, false
	}
	oldest := c.now() - maxLateNS
	c.late = slices.DeleteFunc(c.late, func(l lateReply) bool { return l.readNS < oldest })
	i := slices.IndexFunc(c.late, func(l lateReply) bool { return l.to == q })
	if i < 0 {
		return reply{}, false
	}
	a := c.late[i].reply
	c.late = slices.Delete(c.late, i, i+1)
	return a, true
}
