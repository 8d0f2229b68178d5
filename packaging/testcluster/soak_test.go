package testcluster

import (
	"fmt"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"
)

// One round of every attack and fault, at once: nothing may take a node out of
// service, fail a job, cost a report or put a file where it does not belong.
func TestAttacks(t *testing.T) {
	c := use(t)
	if os.Getenv("JOBGAIT_SOAK") != "" {
		t.Skip("the rounds of JOBGAIT_SOAK do it")
	}
	seed := drawSeed()
	a := newArena(t, c, seed)
	a.all = true
	a.run(t, 0)
	a.faults(t, 0)
	a.finish(t)
	fmt.Printf("%s\n%v\n(killed: %v; JOBGAIT_SEED=%d)\n", tallyHead, a, a.hunter, seed)
	if a.total.bad() {
		t.Error("see above")
	}
}

const (
	// inFlight is how many rounds go on at the same time: the slowest attack,
	// on a directory that hangs, takes half a minute, and most of it waits.
	inFlight = 6
	// soakAtOnce is enough for all their attacks.
	soakAtOnce = "64"
	// faultsEvery is after how many rounds the whole cluster is at fault, and
	// a sweep brings what kills have left.
	faultsEvery = 50
	// mostLost is the largest loss of samples that a kill -9 may cause.
	mostLost = time.Second
)

// TestSoak is JOBGAIT_SOAK rounds. It prints its table as it goes on, so that one
// that is interrupted has said how far it came.
func TestSoak(t *testing.T) {
	rounds, err := strconv.Atoi(os.Getenv("JOBGAIT_SOAK"))
	if err != nil {
		t.Skip("JOBGAIT_SOAK says how many rounds")
	}
	c := use(t)
	seed := drawSeed()
	a := newArena(t, c, seed)
	began := time.Now()
	fmt.Printf("JOBGAIT_SEED=%d\n%s\n", seed, tallyHead)
	for first := 0; first < rounds; first += faultsEvery {
		var going sync.WaitGroup
		room := make(chan struct{}, inFlight)
		for n := first; n < min(first+faultsEvery, rounds); n++ {
			room <- struct{}{}
			going.Go(func() {
				a.run(t, n)
				a.say(began)
				<-room
			})
		}
		going.Wait()
		a.faults(t, first/faultsEvery)
		a.finish(t)
		a.say(began)
	}
	fmt.Printf("%s\n", tallyHead)
	a.say(began)
	a.hunter.mustHaveShot(t) // one round may miss: its victims live some 20 ms
	if a.total.bad() || a.hunter.worst() > mostLost {
		t.Errorf("seed %d", seed)
	}
}

// say prints the table's line so far.
func (a *arena) say(began time.Time) {
	fmt.Printf("%v   after %v, killed: %v\n", a, time.Since(began).Round(time.Second), a.hunter)
}

// drawSeed is JOBGAIT_SEED, or else one of now.
func drawSeed() uint64 {
	if s, err := strconv.ParseUint(os.Getenv("JOBGAIT_SEED"), 10, 64); err == nil {
		return s
	}
	return uint64(time.Now().UnixNano())
}
