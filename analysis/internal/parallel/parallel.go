// Package parallel does independent things on all CPUs.
package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Each calls do with 0 to n-1, concurrently on all CPUs, and waits for all. Calls must not depend on each
// other. A panic of a call is passed on to the caller, which may be a hook that has to survive it.
func Each(n int, do func(i int)) {
	workers := min(runtime.GOMAXPROCS(0), n)
	if workers < 2 {
		for i := range n {
			do(i)
		}
		return
	}
	var next atomic.Int64
	var all sync.WaitGroup
	var once sync.Once
	var failed any
	for range workers {
		all.Go(func() {
			defer func() {
				if r := recover(); r != nil {
					once.Do(func() { failed = r })
				}
			}()
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	all.Wait()
	if failed != nil {
		panic(failed)
	}
}
