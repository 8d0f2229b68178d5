package slurm

import (
	"reflect"
	"strings"
	"testing"

	"jobgait/agent/job"
)

func TestExpandNodeList(t *testing.T) {
	for _, c := range []struct {
		list, want string // "" = error
	}{
		{"n1", "n1"},
		{"n[1-3,07-09],x", "n1 n2 n3 n07 n08 n09 x"},
		{"n[098-101]", "n098 n099 n100 n101"},
		{"r[1-2]n[1-2]", "r1n1 r1n2 r2n1 r2n2"},
		{"a[1]-ib,b", "a1-ib b"},
		{"n[1-", ""},
		{"n]1", ""},
		{"n[]", ""},
		{"n[3-1]", ""},
		{"n[+1-2]", ""},
		{"n[1-2", ""},
		{"a,,b", ""},
		{"a b", ""},
		{"n[1-100001]", ""},
		{"n[1-400]m[1-400]", ""},
		{"n[1-60000],m[1-60000]", ""},
	} {
		got, err := expandNodeList(c.list)
		if c.want == "" {
			if err == nil {
				t.Errorf("%q expands to %d nodes, want an error", c.list, len(got))
			}
			continue
		}
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%q = %v, %v; want %s", c.list, got, err, c.want)
		}
	}
	if got, err := expandNodeList(""); err != nil || len(got) != 0 {
		t.Errorf("empty list = %v, %v", got, err)
	}
	if got, err := expandNodeList("n[1-100000]"); err != nil || len(got) != 100_000 {
		t.Errorf("100,000 nodes: %d, %v", len(got), err)
	}
}

func TestExpandCPUs(t *testing.T) {
	for _, c := range []struct {
		s    string
		want []int
	}{
		{"2(x3),4", []int{2, 2, 2, 4}},
		{"128", []int{128}},
		{"", nil},
	} {
		if got, err := expandCPUs(c.s); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q = %v, %v; want %v", c.s, got, err, c.want)
		}
	}
	for _, s := range []string{"x", "2(x", "2(x3", "-1", "2(x999999)", "2,", "2(3)"} {
		if got, err := expandCPUs(s); err == nil {
			t.Errorf("%q = %v, want an error", s, got)
		}
	}
}

func FuzzExpandNodeList(f *testing.F) {
	for _, s := range []string{"n[1-3,07-09],x", "r[1-2]n[1-2]", "a[1]-ib", "n[1-", "[1-9][1-9][1-9][1-9][1-9][1-9]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		nodes, err := expandNodeList(s)
		if err != nil {
			return
		}
		if len(nodes) > job.MaxNodes {
			t.Fatalf("%d nodes", len(nodes))
		}
		for _, n := range nodes {
			if n == "" || strings.ContainsAny(n, "[], ") {
				t.Fatalf("%q has a node %q", s, n)
			}
		}
	})
}

func FuzzExpandCPUs(f *testing.F) {
	f.Add("2(x3),4")
	f.Fuzz(func(t *testing.T, s string) {
		if cpus, err := expandCPUs(s); err == nil && len(cpus) > job.MaxNodes {
			t.Fatalf("%d nodes", len(cpus))
		}
	})
}
