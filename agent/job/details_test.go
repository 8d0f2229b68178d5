package job

import "testing"

func TestDetailsOr(t *testing.T) {
	one, two := 1, 2
	d := Details{Name: "a", NTasks: &one}.Or(Details{Name: "b", QOS: "q", NTasks: &two})
	if d.Name != "a" || d.QOS != "q" || *d.NTasks != 1 {
		t.Errorf("Or = %+v", d)
	}
}

func TestThreads(t *testing.T) {
	for value, want := range map[string]string{"4": "4", " 4,2 ": "4,2", "": "", "x": "", "4\x1b[2J": "", "-1": ""} {
		if got := ParseThreads(value); got != want {
			t.Errorf("%q: %q, want %q", value, got, want)
		}
	}
}
