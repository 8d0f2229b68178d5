package slurm

import "testing"

func TestMail(t *testing.T) {
	for _, c := range []struct {
		subject, env, id string
		over             bool
	}{
		{"Slurm Job_id=8 Name=wrap Ended, Run time 00:00:05, COMPLETED, ExitCode 0", "", "8", true},
		{"Slurm Job_id=8 Name=wrap Failed, Run time 00:00:05, FAILED, ExitCode 1", "", "8", true},
		{"Slurm Job_id=8 Name=wrap Began, Queued time 00:00:05", "", "8", false},
		{"Slurm Array Task Job_id=7_1 (8) Name=wrap Ended, Run time 00:00:05, COMPLETED", "8", "7_1", true},
		{"Slurm Array Summary Job_id=7_* (7) Name=wrap Ended, Mixed, ExitCode [0-1]", "", "", true},
		{"Slurm Job_id=8 Name=Slurm Job_id=9 Ended, Run time", "8", "8", true},
		{"Job_id=8 Name=x Ended", "", "", true},
		{"", "", "", false},
	} {
		getenv := func(name string) string { return map[string]string{"SLURM_JOB_ID": c.env}[name] }
		if m := Mail(getenv, c.subject); m.ID != c.id || m.Over != c.over {
			t.Errorf("%q is %+v", c.subject, m)
		}
	}
	begin := func(name string) string { return map[string]string{"SLURM_JOB_MAIL_TYPE": "BEGIN"}[name] }
	if m := Mail(begin, "Slurm Job_id=8 Name=Ended Began, Queued time 00:00:05"); m.Over {
		t.Errorf("%+v", m)
	}
}

func FuzzMail(f *testing.F) {
	f.Add("Slurm Job_id=8 Name=wrap Ended, Run time 00:00:05")
	f.Fuzz(func(t *testing.T, subject string) {
		if m := Mail(func(string) string { return "" }, subject); len(m.ID) > len(subject) {
			t.Errorf("%+v", m)
		}
	})
}
