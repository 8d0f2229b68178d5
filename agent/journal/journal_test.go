package journal

import (
	"net"
	"path/filepath"
	"strings"
	"testing"
)

// listen is a socket that takes datagrams.
func listen(t *testing.T, name string) (path string, next func() string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	c, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return path, func() string {
		b := make([]byte, 1<<16)
		n, err := c.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		return string(b[:n])
	}
}

func TestJournalThenSyslog(t *testing.T) {
	journal, said := listen(t, "journal")
	syslog, logged := listen(t, "syslog")
	both := Sockets{journal, syslog}
	both.Send(Warning, "jobgait-epilog", "job 17: no\nPRIORITY=0", Field{"JOBGAIT_JOB_ID", "17\nMESSAGE=forged"})
	want := "PRIORITY=4\nSYSLOG_IDENTIFIER=jobgait-epilog\nMESSAGE=job 17: " +
		"no?PRIORITY=0\nJOBGAIT_JOB_ID=17?MESSAGE=forged\n"
	if got := said(); got != want {
		t.Errorf("journal %q, want %q", got, want)
	}
	Sockets{journal + "-none", syslog}.Send(Info, "jobgait-epilog", "job 17: reported")
	if got := logged(); got != "<30>jobgait-epilog: job 17: reported" {
		t.Errorf("syslog %q", got)
	}
	Sockets{}.Send(Error, "p", "dropped") // no receiver
}

// A log that accepts nothing blocks no writer: a message that cannot be sent at once is dropped.
func TestFullLogBlocksNoWriter(t *testing.T) {
	journal, said := listen(t, "journal")
	line := strings.Repeat("x", 8000)
	for range 2000 {
		Sockets{Journal: journal}.Send(Info, "p", line)
	}
	if got := said(); !strings.Contains(got, line) {
		t.Errorf("%.80q", got)
	}
}
