package pagetest

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Open returns a page's HTML after a browser has run its scripts, and fails if the browser blocked or reported
// anything. The test is skipped if Chromium is missing or does not run, and with -short.
func Open(t *testing.T, page string) string {
	t.Helper()
	browser, err := exec.LookPath("chromium")
	if err != nil || testing.Short() {
		t.Skip("no chromium")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "page.html")
	if err := os.WriteFile(path, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
		"--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--enable-logging=stderr", "--user-data-dir="+
			filepath.Join(dir, "profile"), "--dump-dom", "file://"+path)
	cmd.WaitDelay = time.Second
	var log bytes.Buffer
	cmd.Stderr = &log
	dom, err := cmd.Output()
	if err != nil {
		t.Skipf("chromium does not run here: %v", err)
	}
	if strings.Contains(log.String(), "Content Security Policy") || strings.Contains(log.String(), "CONSOLE") {
		t.Errorf("the browser complains:\n%s", log.String())
	}
	return string(dom)
}
