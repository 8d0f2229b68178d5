package slurm

import (
	"regexp"
	"strings"

	"jobgait/agent/job"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
)

// mailSubject matches the begin of the subjects of slurmctld's mails: "Slurm Job_id=8 Name=x Ended, ...",
// "Slurm Array Task Job_id=7_1 (8) Name=x Failed, ...". The name is the user's.
var mailSubject = regexp.MustCompile(`^Slurm (?:Array Task )?Job_id=([0-9]+(?:_[0-9]+)?)[ ,]`)

// endWords matches the words for the end of a job in mail subjects and in SLURM_JOB_MAIL_TYPE.
var endWords = regexp.MustCompile(
	`\b(?:Ended|Failed|Reached time limit|Invalid dependency)\b|^(?:END|FAIL|TIME_LIMIT)$`)

// Mail parses what slurmctld passes to its MailProg. The environment is slurmctld's own and takes precedence over the
// subject, which contains the job's name. The ID is "" unless the subject has the form of a mail about a job or an
// array task, because a whole array has no report. It is SLURM_JOB_ID, except for an array task, whose id is that in
// the subject. Over is set if the mail type or, without one, the subject names an end of the job.
func Mail(getenv func(string) string, subject string) job.Mail {
	m := job.Mail{User: note.Clean(getenv("SLURM_JOB_USER"), job.MaxText),
		Cluster: note.Clean(getenv("SLURM_CLUSTER_NAME"), job.MaxText)}
	if found := mailSubject.FindStringSubmatch(subject); found != nil {
		m.ID = found[1]
	}
	kind := getenv("SLURM_JOB_MAIL_TYPE")
	if kind == "" { // the words of a subject follow the name: those before its last comma are not the user's alone
		_, kind, _ = strings.Cut(subject, " Name=")
	}
	m.Over = endWords.MatchString(kind)
	if id := getenv("SLURM_JOB_ID"); m.ID != "" && run.IsDisplayID(id) && !strings.Contains(m.ID, "_") {
		m.ID = id
	}
	return m
}
