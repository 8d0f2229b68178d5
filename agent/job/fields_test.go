package job

import (
	"maps"
	"strings"
	"testing"

	"jobgait/analysis/run"
)

func TestFields(t *testing.T) {
	got := RecordedFields("abc123", "gcc/13.2:openmpi/4.1",
		[]string{"solver=gmres", "=none", "bare", "note=a=b", "empty="})
	want := map[string]string{
		run.FieldCommit: "abc123", run.FieldModules: "gcc/13.2:openmpi/4.1",
		"label.solver": "gmres", "label.note": "a=b",
	}
	if !maps.Equal(got, want) {
		t.Errorf("fields %v, want %v", got, want)
	}
	if got := RecordedFields("", "", nil); len(got) != 0 {
		t.Errorf("fields of nothing: %v", got)
	}
}

func TestFieldsAreBounded(t *testing.T) {
	hostile := strings.Repeat("a\x1b[31m=b\n,", 1000) + strings.Repeat("name", 1000) + "=" + strings.Repeat("v", 10_000)
	got := RecordedFields(hostile, hostile, strings.Split(hostile, ","))
	size := 0
	for name, value := range got {
		size += len(name) + len(value)
		if strings.ContainsAny(name+value, "\x1b\n") {
			t.Errorf("control characters in %q=%q", name, value)
		}
	}
	if len(got) > maxLabels+2 || size > 3*maxModules {
		t.Errorf("%d fields of %d bytes", len(got), size)
	}
}
