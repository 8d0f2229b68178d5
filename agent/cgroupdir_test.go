package main

import "testing"

func TestPlaceIsBelievedForAWhile(t *testing.T) {
	now, asked, there := int64(5), 0, false
	dir := believed(func(c string) (string, bool) { asked++; return "/" + c, there }, func() int64 { return now })
	check := func(want bool, times int) {
		t.Helper()
		if d, ok := dir("io"); ok != want || d != "/io" || asked != times {
			t.Errorf("%q, %v after %d times, want %v after %d", d, ok, asked, want, times)
		}
	}
	check(false, 1)
	there = true
	check(false, 1)
	now += dirNS
	check(true, 2)
	if d, ok := dir("cpuacct"); d != "/cpuacct" || !ok {
		t.Errorf("%q, %v of another controller", d, ok)
	}
}
