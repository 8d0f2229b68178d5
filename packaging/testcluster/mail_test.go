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
