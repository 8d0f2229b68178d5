package testcluster

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The controller's mails go through jobgait's MailProg, with the subject that the controller set. Its account
// may not read the history here, so these are the usual mails.
func TestMailOfTheController(t *testing.T) {
	t.Parallel()
	c := use(t)
	dir := c.dir(t, c.bob)
	j := c.sbatch(t, c.bob, dir, "exit 3", "-N1", "-n1", "-w", "n3", "--mail-type=BEGIN,END,FAIL",
		"--mail-user=bob@example.org",
		"-J", "a mail", "-o", "out")
	j.mustEnd(t, "FAILED")
	for _, words := range []string{"Began", "Failed"} {
		subject := fmt.Sprintf("Slurm Job_id=%d Name=a mail %s", j.id, words)
		poll(t, func() string {
			paths, _ := filepath.Glob(c.path("mail", "*"))
			for _, p := range paths {
				b, _ := os.ReadFile(p)
				if mail := string(b); strings.Contains(mail, subject) &&
					strings.HasPrefix(mail, "-i -t\nTo: bob@") {
					return ""
				}
			}
			return "no mail with the subject " + subject
		})
	}
}

// TestMailBySystem sends the controller's mail through the mail system of this machine to a local user. If the
// controller's account may read the history, the mail has the first screen of the report.
func TestMailBySystem(t *testing.T) {
	c := use(t)
	if os.Getenv("JOBGAIT_MAIL") == "" {
		t.Skip("run by hand: JOBGAIT_MAIL=/var/mail where /usr/sbin/sendmail delivers local mail there (exim4, dma)")
	}
	// slurmctld kills its MailProg after 120 s.
	c.withSetting(t, fmt.Sprintf("sendmail = %q\nwait_s = 1.0\n", c.path("mail", "sendmail")),
		"sendmail = \"/usr/sbin/sendmail\"\nwait_s = 100.0\n")
	dir, box := c.dir(t, c.bob), filepath.Join(os.Getenv("JOBGAIT_MAIL"), c.bob.name)
	t.Cleanup(func() { _ = os.Remove(box) })
	for _, readable := range []bool{false, true} {
		if readable {
			poll(t, func() string { // the first run creates it, for root alone
				if err := os.Chmod(c.path("history.db"), 0o644); err != nil {
					return err.Error()
				}
				return ""
			})
			t.Cleanup(func() { _ = os.Chmod(c.path("history.db"), 0o600) }) // for another round: -count=3
		}
		j := c.sbatch(t, c.bob, dir, "gait 5 200; exit 3", "-N1", "-n1", "-t5", "--mail-type=FAIL", "-J", "a mail", "-o",
			"out")
		j.mustEnd(t, "FAILED")
		subject, mail := fmt.Sprintf("Subject: Slurm Job_id=%d Name=a mail Failed, ", j.id), ""
		poll(t, func() string {
			b, _ := os.ReadFile(box)
			_, after, found := strings.Cut(string(b), subject)
			if mail = after; !found {
				return box + " has no mail with " + subject
			}
			return ""
		})
		if strings.Contains(mail, " IN SHORT\n") != readable || strings.Contains(mail, "FAILED, exit code 3") != readable {
			t.Errorf("history readable by the controller: %v; the mail is\n%s", readable, mail)
		}
		t.Logf("history readable by the controller: %v: %.1200s", readable, mail)
	}
}
