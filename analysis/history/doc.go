// Package history remembers runs: one SQLite file with a row a run. A Summary
// is put once, whatever number of times Put is called, and comes out again as
// rows of the same series, newest first, or whole. It stands between the
// analyses of one job and those across jobs, and is the only package here that
// touches a file, and the only one that imports the driver.
//
// It refuses a file that is not its own, one that a newer jobgait wrote, and a
// damaged one, and never overwrites any of them. It refuses to call two runs
// one because they have a job id in common, to forget what only the scheduler
// knew of a run, and to put a number where none was measured: unknown is NULL.
// Texts that users chose are stored as data, without control characters.
//
// # For administrators
//
// The tables may change with every version; the views jobs, job_nodes,
// job_patterns, job_notes, series, changes, scaling and ingest are kept, with sacct's names for
// sacct's fields. Any sqlite3 from 3.26 on reads them, also while a job is
// being put (sqlite3 -readonly history.db). Start and End are local time as in
// sacct; StartEpoch and EndEpoch are indexed, so select by those. In what
// follows, +0 makes a number of the text that strftime gives.
//
// What happened to a job; to the tasks of an array:
//
//	SELECT JobID, User, Elapsed, State, PeriodS, Report FROM jobs WHERE JobID = '123_7';
//	SELECT JobID, Elapsed, PeriodS, ImbalancePct FROM jobs WHERE JobID GLOB '123_*';
//
// A user's last runs:
//
//	SELECT JobID, JobName, Start, Elapsed, NNodes, PeriodS, PatternCoverage FROM jobs
//	WHERE User = 'alice' ORDER BY StartEpoch DESC LIMIT 20;
//
// The history of the application that a job belongs to, in its shape:
//
//	SELECT JobID, Start, Elapsed, State, PeriodS FROM jobs
//	WHERE SeriesID = (SELECT SeriesID FROM jobs WHERE JobID = '812345')
//	ORDER BY StartEpoch DESC LIMIT 200;
//
// What is run most often, and what was run on several numbers of nodes:
//
//	SELECT User, Application, Shape, Runs, Last FROM series ORDER BY Runs DESC LIMIT 20;
//	SELECT User, Application, count(*) AS Shapes, sum(Runs) AS Runs FROM series
//	GROUP BY Cluster, User, Application HAVING Shapes >= 3;
//
// Jobs of the last week that left CPUs idle, or some nodes behind:
//
//	SELECT JobID, User, NCPUS, round(BusyCPUs, 1) AS Busy, Elapsed FROM jobs
//	WHERE EndEpoch > strftime('%s', 'now', '-7 days') + 0 AND BusyCPUs < 0.5 * NCPUS
//	ORDER BY (NCPUS - BusyCPUs) * ElapsedRaw DESC LIMIT 20;
//	SELECT JobID, User, NNodes, ImbalancePct FROM jobs
//	WHERE EndEpoch > strftime('%s', 'now', '-7 days') + 0 AND NNodes >= 4 AND ImbalancePct > 15;
//
// Nodes that send no record:
//
//	SELECT NodeName, count(*) AS Jobs, sum(Reported = 0) AS Missing FROM job_nodes
//	WHERE EndEpoch > strftime('%s', 'now', '-7 days') + 0
//	GROUP BY NodeName HAVING Missing > 0 ORDER BY Missing DESC;
//
// What was declined, and how often; how good the data is:
//
//	SELECT Code, count(DISTINCT RunID) AS Jobs FROM job_notes
//	WHERE EndEpoch > strftime('%s', 'now', '-7 days') + 0 GROUP BY Code ORDER BY Jobs DESC;
//	SELECT Counters, count(*) AS Jobs, round(avg(LostPct), 2) AS Lost, round(max(OverheadPct), 2) AS Worst
//	FROM jobs WHERE EndEpoch > strftime('%s', 'now', '-7 days') + 0 GROUP BY Counters;
//
// All patterns of a job, best first:
//
//	SELECT Pattern, ColumnName, PeriodS, PeriodCV, PatternCoverage, Iterations, Confidence
//	FROM job_patterns WHERE JobID = '812345' ORDER BY Position;
//
// Runs that became slower this week, and what changed then; those that somebody
// has seen (jobgait changes --ack) have a name in AcknowledgedBy:
//
//	SELECT JobID, User, Application, Shape, Metric, EffectPct, EffectLoPct, EffectHiPct, ChangedThen
//	FROM changes WHERE AtEpoch > strftime('%s', 'now', '-7 days') + 0 AND EffectPct > 2 ORDER BY EffectPct DESC;
//
// How applications scale, and where the law changes:
//
//	SELECT User, Application, Fixed, Metric, FirstP, LastP, Model, ChangeAfterP, ChangeBeforeP FROM scaling
//	WHERE Parameter = 'nodes' ORDER BY User, Application, Metric, Position;
//
// Whether runs still come in:
//
//	SELECT Status, count(*), max(At) FROM ingest
//	WHERE AtEpoch > strftime('%s', 'now', '-1 day') + 0 GROUP BY Status;
package history
