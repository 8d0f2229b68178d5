package job

import "testing"

func TestDetailsOr(t *testing.T) {
	one, two := 1, 2
	d := Details{Name: "a", NTasks: &one}.Or(Details{Name: "b", QOS: "q", NTasks: &two})
	if d.Name != "a" || d.QOS != "q" || *d.NTasks != 1 {
		t.Errorf("Or = %+v", d)
	}
}
