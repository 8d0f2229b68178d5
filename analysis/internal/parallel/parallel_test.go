package parallel

import (
	"runtime"
	"sync/atomic"
	"testing"
)

func TestPanicReachesTheCaller(t *testing.T) {
	before := runtime.GOMAXPROCS(4)
	defer runtime.GOMAXPROCS(before)
	defer func() {
		if r := recover(); r != "odd" {
			t.Errorf("recovered %v", r)
		}
	}()
	Each(100, func(i int) {
		if i == 50 {
			panic("odd")
		}
	})
	t.Error("the panic is lost")
}

func TestEachOnce(t *testing.T) {
	for _, n := range []int{0, 1, 2, 500} {
		done := make([]atomic.Int64, n)
		Each(n, func(i int) { done[i].Add(1) })
		for i := range done {
			if v := done[i].Load(); v != 1 {
				t.Errorf("%d of %d was done %d times", i, n, v)
			}
		}
	}
}
