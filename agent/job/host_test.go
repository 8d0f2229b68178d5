package job

import (
	"os"
	"path/filepath"
	"testing"
)

func TestOnlineCPUs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "online")
	for text, want := range map[string]int{"0-3,8-11\n": 8, "0\n": 1} {
		os.WriteFile(path, []byte(text), 0o644)
		if n, err := OnlineCPUs(path); err != nil || n != want {
			t.Errorf("%q = %d, %v; want %d", text, n, err, want)
		}
	}
	if h := ThisHost(); h.CPUs < 1 || h.Mono <= 0 || h.Real < 1.6e9 || h.BootID == "" {
		t.Errorf("ThisHost = %+v", h)
	}
}
