package configs

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// checkRanges returns an error for the first setting that is out of its range. A file with a wrong value is
// refused as a whole: a program that replaced the value would not do what the administrator reads in the file.
func checkRanges(c Config) error {
	for _, r := range []rule{
		path("spool.dir", c.Spool.Dir),
		within("spool.max_gb", c.Spool.MaxGB, 0.01, 1e6),
		within("spool.max_runs", float64(c.Spool.MaxRuns), 10, 1e6),
		oneOf("spool.keep", c.Spool.Keep, "none", "first", "all"),

		path("collect.dir", c.Collect.Dir),
		account("collect.account", c.Collect.Account),
		within("collect.wait_s", float64(c.Collect.WaitS), 0, 3600),
		optionalPath("collect.archive", c.Collect.Archive),
		within("collect.archive_days", float64(c.Collect.ArchiveDays), 0, 1e5),
		within("collect.archive_gb", c.Collect.ArchiveGB, 0, 1e7),

		within("agent.rate_hz", float64(c.Agent.RateHz), 1, 2000),
		within("agent.address_hz", float64(c.Agent.AddressHz), 0, 20_000),
		within("agent.budget_pct", c.Agent.BudgetPct, 0.01, 100),
		within("agent.run_budget_pct", c.Agent.RunBudgetPct, 0.01, 100),
		within("agent.profile_mb", c.Agent.ProfileMB, 1, 1e6),
		within("agent.max_hours", float64(c.Agent.MaxHours), 1, 24*366),
		oneOf("agent.launch", c.Agent.Launch, "auto", "setsid"),
		optionalPath("agent.live_dir", c.Agent.LiveDir),

		oneOf("agent.names", c.Agent.Names, "all", "libraries", "off"),
		oneOf("agent.stack", c.Agent.Stack, "off", "functions", "lines"),
		within("agent.stack_after_s", c.Agent.StackAfterS, 0, 1e6),

		optionalPath("live.on_stall", c.Live.OnStall),
		account("live.account", c.Live.Account),
		{c.Live.OnStall == "" || c.Live.Account != "",
			"live.on_stall is set, but live.account is empty: name the account that runs it"},

		nonEmptyNames("watch.partitions", c.Watch.Partitions),
		nonEmptyNames("watch.not_partitions", c.Watch.NotPartitions),
		nonEmptyNames("watch.not_users", c.Watch.NotUsers),
		within("watch.min_nodes", float64(c.Watch.MinNodes), 1, 1e6),
		within("watch.share", c.Watch.Share, 0, 1),

		within("epilog.deadline_s", c.Epilog.DeadlineS, 0.1, 600),
		within("epilog.wait_s", c.Epilog.WaitS, 0, 600),
		within("epilog.worker_s", float64(c.Epilog.WorkerS), 1, 3600),
		{c.Collect.WaitS <= c.Epilog.WorkerS, fmt.Sprintf(
			"collect.wait_s = %d is more than epilog.worker_s = %d: the worker would end while it waits: lower the first or "+
				"raise the second", c.Collect.WaitS,
			c.Epilog.WorkerS)},

		allOf("report.formats", c.Report.Formats, "txt", "json", "html"),
		within("report.min_elapsed_s", c.Report.MinElapsedS, 0, 1e9),

		nonEmptyNames("findings.silent", c.Findings.Silent),

		path("history.path", c.History.Path),
		oneOf("history.ingest", c.History.Ingest, "here", "spool"),
		oneOf("history.names", c.History.Names, "all", "libraries", "off"),

		within("keep.profiles", float64(c.Keep.Profiles), 0, 1e5),
		within("keep.nodes", float64(c.Keep.Nodes), 0, 1e5),
		within("keep.functions", float64(c.Keep.Functions), 0, 1e5),
		within("keep.runs", float64(c.Keep.Runs), 0, 1e5),
		within("keep.ingest", float64(c.Keep.Ingest), 0, 1e5),
		optionalPath("keep.copy", c.Keep.Copy),
		optionalPath("history.snapshots", c.History.Snapshots),

		optionalPath("slurm.scontrol", c.Slurm.Scontrol),
		optionalPath("slurm.sacct", c.Slurm.Sacct),
		optionalPath("slurm.sacctmgr", c.Slurm.Sacctmgr),
		optionalPath("health.textfile", c.Health.Textfile),
		optionalPath("health.site_textfile", c.Health.SiteTextfile),

		optionalPath("mail.sendmail", c.Mail.Sendmail),
		{c.Mail.WaitS >= 0 && c.Mail.WaitS <= maxMailWaitS, fmt.Sprintf("mail.wait_s = %g is out of range: want 0 to %d, "+
			"because Slurm kills the program after 120 s and then no mail is sent", c.Mail.WaitS, maxMailWaitS)},
	} {
		if !r.ok {
			return errors.New(r.text)
		}
	}
	return nil
}

// maxMailWaitS is the largest mail.wait_s. The controller kills its MailProg after 120 s (MAIL_PROG_TIMEOUT in
// Slurm's source); the rest is for sending.
const maxMailWaitS = 110

// rule is one condition and the error text if it does not hold.
type rule struct {
	ok   bool
	text string
}

// within requires lo <= v <= hi. It also rejects NaN, which TOML can express.
func within(key string, v, lo, hi float64) rule {
	return rule{v >= lo && v <= hi, fmt.Sprintf("%s = %g is out of range: want %g to %g", key, v, lo, hi)}
}

// oneOf requires v to be one of the known values.
func oneOf(key, v string, known ...string) rule {
	return rule{slices.Contains(known, v),
		fmt.Sprintf("%s = %.80q is unknown: want one of %s", key, v, strings.Join(known, ", "))}
}

// allOf requires each of vs to be one of the known values.
func allOf(key string, vs []string, known ...string) rule {
	for _, v := range vs {
		if r := oneOf(key, v, known...); !r.ok {
			return r
		}
	}
	return rule{ok: true}
}

// path requires a clean absolute path, because the working directory of a hook is arbitrary.
func path(key, v string) rule {
	ok := filepath.IsAbs(v) && filepath.Clean(v) == v && v != "/" && !strings.ContainsRune(v, 0)
	return rule{ok, fmt.Sprintf("%s = %.80q is invalid: want an absolute path without \"..\" or a trailing slash", key, v)}
}

// optionalPath requires "" or a clean absolute path.
func optionalPath(key, v string) rule {
	if v == "" {
		return rule{ok: true}
	}
	return path(key, v)
}

var accountName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}\$?$`)

// account requires "" or a valid account name.
func account(key, v string) rule {
	return rule{v == "" || accountName.MatchString(v),
		fmt.Sprintf("%s = %.80q is invalid: want the name of an account", key, v)}
}

// nonEmptyNames requires that no name in the list is empty.
func nonEmptyNames(key string, vs []string) rule {
	if slices.Contains(vs, "") {
		return rule{false, key + " has an empty name: remove it"}
	}
	return rule{ok: true}
}
