package changepoint

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

// voted is a history with a few changes, recorded fields and votes of others,
// some of them at the changes.
func voted(r *rand.Rand) (Series, []vote) {
	n := 60 + r.IntN(60)
	s := Series{ID: "s", User: "u", Meta: map[string][]string{}}
	var votes []vote
	level, field, sd := 0.0, 0, .01+.02*r.Float64()
	for k := range n {
		changed := r.IntN(25) == 0
		if changed {
			level += sd * (6*r.Float64() - 3)
		}
		if changed || r.IntN(30) == 0 {
			field++
		}
		if changed && r.IntN(2) == 0 || r.IntN(40) == 0 {
			for q := range 1 + r.IntN(3) {
				votes = append(votes, vote{min(k+q, n-1), 1 + 3*r.Float64(), float64(k + r.IntN(12))})
			}
		}
		x := level + sd*r.NormFloat64()
		if r.IntN(20) == 0 {
			x += r.Float64()
		}
		s.Y = append(s.Y, 100*math.Exp(x))
		s.Meta["binary"] = append(s.Meta["binary"], fmt.Sprint(field))
	}
	return s, votes
}

// Along the trail of a look without votes is found what is found without it.
func TestTrailMakesNoDifference(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(8, 1))
	idle, windows, differ := 0, 0, 0
	for i := range 40 {
		s, votes := voted(r)
		if i%2 == 0 {
			s.Meta = nil
		}
		one := prepare(&s)
		alone := one.look(nil, Default())
		for _, w := range alone.trail.windows {
			windows++
			if w.idle {
				idle++
			}
		}
		with, without := one.lookAgain(&alone, votes, Default()), one.look(votes, Default())
		if !reflect.DeepEqual(with.out, without.out) || !reflect.DeepEqual(with.blind, without.blind) {
			t.Fatalf("history %d: along the trail %+v, without it %+v", i, with.out.events, without.out.events)
		}
		if !reflect.DeepEqual(with.out.events, alone.out.events) {
			differ++
		}
	}
	if idle < windows/2 || differ < 5 {
		t.Errorf("%d of %d windows idle, votes made a difference to %d histories: too few to tell", idle, windows, differ)
	}
}

// What slow nodes explain is asked of other values than those of the trail: votes of
// other series do not hide it.
func TestTrailIsNotOfNodes(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 1))
	told := 0
	for seed := range 8 {
		s := Series{ID: "moved", User: "u"}
		node := "a"
		for i := range 90 {
			if r.IntN(15) == 0 || i == 20 {
				node = string(rune('a' + (node[0]-'a'+1)%2))
			}
			x := .015 * r.NormFloat64()
			if node == "b" {
				x += .1
			}
			s.T, s.Y, s.Nodes = append(s.T, float64(i)), append(s.Y, 100*math.Exp(x)), append(s.Nodes, []string{node})
		}
		one := prepare(&s)
		alone := one.look(nil, Default())
		given := []vote{{index: 80, nats: .1, known: 80}}
		with, without := one.lookAgain(&alone, given, Default()), one.look(given, Default())
		a, b := one.tell(&with, Default()), one.tell(&without, Default())
		if told += len(b.Notes); !reflect.DeepEqual(a.Notes, b.Notes) {
			t.Errorf("history %d: along the trail %v, without it %v", seed, a.Notes, b.Notes)
		}
	}
	if told == 0 {
		t.Error("nothing is noted of any")
	}
}
