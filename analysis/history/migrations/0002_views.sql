-- Version 2: the views, which are the contract. Names are sacct's where sacct
-- has the field; unknown is NULL, never 0. RunID joins the views: a job id
-- alone may stand for several runs. Columns are added, never renamed.

CREATE VIEW jobs AS
SELECT
  r.run_id          AS RunID,
  r.display_id      AS JobID,
  r.job_id          AS JobIDRaw,
  nullif(r.sub, 0)  AS Sub,
  r.restart         AS Restarts,
  nullif(r.sluid, '') AS SLUID,
  c.name            AS Cluster,
  u.name            AS User,
  u.uid             AS UID,
  r.account         AS Account,
  r.partition_name  AS Partition,
  r.qos             AS QOS,
  r.job_name        AS JobName,
  r.state           AS State,
  r.exit_code || ':' || r.exit_signal AS ExitCode,
  strftime('%Y-%m-%dT%H:%M:%S', CAST(r.start_s AS INTEGER), 'unixepoch', 'localtime') AS Start,
  strftime('%Y-%m-%dT%H:%M:%S', CAST(r.end_s AS INTEGER), 'unixepoch', 'localtime') AS End,
  r.start_s         AS StartEpoch,
  r.end_s           AS EndEpoch,
  CASE WHEN r.elapsed_s >= 86400 THEN (CAST(r.elapsed_s AS INTEGER) / 86400) || '-' ELSE '' END
    || strftime('%H:%M:%S', CAST(r.elapsed_s AS INTEGER) % 86400, 'unixepoch') AS Elapsed,
  CAST(r.elapsed_s AS INTEGER) AS ElapsedRaw,
  r.elapsed_s       AS ElapsedS,
  r.nnodes          AS NNodes,
  r.ncpus           AS NCPUS,
  r.ntasks          AS NTasks,
  r.node_list       AS NodeList,
  r.work_dir        AS WorkDir,
  r.stdout          AS StdOut,
  r.executable      AS Executable,
  a.name            AS Application,
  s.shape           AS Shape,
  r.series_id       AS SeriesID,
  p.period_s        AS PeriodS,
  p.coverage        AS PatternCoverage,
  p.instances       AS Iterations,
  p.confidence      AS Confidence,
  r.imbalance_pct   AS ImbalancePct,
  r.busy_cpus       AS BusyCPUs,
  r.nodes_reported  AS NodesReported,
  r.sample_hz       AS SampleHz,
  r.lost_pct        AS LostPct,
  r.overhead_pct    AS OverheadPct,
  r.counters        AS Counters,
  r.report_dir      AS Report
FROM run r
JOIN cluster c ON c.cluster_id = r.cluster_id
JOIN hpc_user u ON u.user_id = r.user_id
LEFT JOIN run_series s ON s.series_id = r.series_id
LEFT JOIN application a ON a.application_id = s.application_id
LEFT JOIN run_pattern p ON p.run_id = r.run_id AND p.position = 0;

-- One row for each node of a run.
--   Reported  1 if a record of the node came, 0 if not: then the rest is NULL
--   BusyCPUs  how many CPUs the run kept busy there, in the mean
--   PeriodS  period of the main pattern as that node saw it
--   PatternCoverage  the part of the run inside that pattern, 0 to 1
--   Samples  moments at which samples were due
--   LostPct  those of them at which none could be taken
--   Sealed  1 if the agent ended its profile itself, 0 if it was salvaged
CREATE VIEW job_nodes AS
SELECT
  r.run_id     AS RunID,
  r.display_id AS JobID,
  c.name       AS Cluster,
  u.name       AS User,
  n.name       AS NodeName,
  r.start_s    AS StartEpoch,
  r.end_s      AS EndEpoch,
  x.reported   AS Reported,
  x.busy_cpus  AS BusyCPUs,
  x.period_s   AS PeriodS,
  x.coverage   AS PatternCoverage,
  x.samples    AS Samples,
  100.0 * x.missing / nullif(x.samples, 0) AS LostPct,
  x.sealed     AS Sealed
FROM run_node x
JOIN run r ON r.run_id = x.run_id
JOIN node n ON n.node_id = x.node_id
JOIN cluster c ON c.cluster_id = r.cluster_id
JOIN hpc_user u ON u.user_id = r.user_id;

-- One row for each pattern of a run.
--   Position  0 is the main pattern
--   Pattern  its letter in the report
--   ColumnName  the counter in which it was found
--   PeriodS  how long one cycle takes
--   PeriodLoS  lower end of the interval of PeriodS, level 0.95
--   PeriodHiS  upper end of it
--   PeriodCV  how much single cycles scatter: standard deviation over mean
--   Confidence  0 to 1
--   PatternCoverage  the part of the run inside the pattern, 0 to 1
--   Iterations  how many cycles
CREATE VIEW job_patterns AS
SELECT
  r.run_id      AS RunID,
  r.display_id  AS JobID,
  c.name        AS Cluster,
  u.name        AS User,
  x.position    AS Position,
  x.pattern     AS Pattern,
  x.column_name AS ColumnName,
  x.period_s    AS PeriodS,
  x.period_lo_s AS PeriodLoS,
  x.period_hi_s AS PeriodHiS,
  x.period_cv   AS PeriodCV,
  x.confidence  AS Confidence,
  x.coverage    AS PatternCoverage,
  x.instances   AS Iterations
FROM run_pattern x
JOIN run r ON r.run_id = x.run_id
JOIN cluster c ON c.cluster_id = r.cluster_id
JOIN hpc_user u ON u.user_id = r.user_id;

-- One row for each note of a run: what could not be told, or with a warning.
--   NodeName  the node that it is about; NULL: the run
--   Code  stable, see jobgait-report(7)
--   Text  for people; it may change
CREATE VIEW job_notes AS
SELECT
  r.run_id     AS RunID,
  r.display_id AS JobID,
  c.name       AS Cluster,
  u.name       AS User,
  r.end_s      AS EndEpoch,
  x.node_name  AS NodeName,
  x.code       AS Code,
  x.text       AS Text
FROM run_note x
JOIN run r ON r.run_id = x.run_id
JOIN cluster c ON c.cluster_id = r.cluster_id
JOIN hpc_user u ON u.user_id = r.user_id;

-- One row for each application of a user in one shape: runs that are compared.
--   Application  executable and job name with digits folded, or the user's --app
--   Shape  nodes x tasks x CPUs per task, and the user's --size
--   Runs  how many runs it has
--   First  start of the oldest run
--   Last  start of the newest run
CREATE VIEW series AS
SELECT
  s.series_id AS SeriesID,
  c.name      AS Cluster,
  u.name      AS User,
  u.uid       AS UID,
  a.name      AS Application,
  s.shape     AS Shape,
  count(*)    AS Runs,
  strftime('%Y-%m-%dT%H:%M:%S', CAST(min(r.start_s) AS INTEGER), 'unixepoch', 'localtime') AS First,
  strftime('%Y-%m-%dT%H:%M:%S', CAST(max(r.start_s) AS INTEGER), 'unixepoch', 'localtime') AS Last,
  min(r.start_s) AS FirstEpoch,
  max(r.start_s) AS LastEpoch
FROM run_series s
JOIN run r ON r.series_id = s.series_id
JOIN application a ON a.application_id = s.application_id
JOIN cluster c ON c.cluster_id = a.cluster_id
JOIN hpc_user u ON u.user_id = a.user_id
GROUP BY s.series_id;

-- One row for each time that a run was put into the history.
--   At  when
--   Status  added; replaced: as many nodes as before or more; state: fewer nodes, but
--     the job's final state; kept: nothing new
--   NodesReported  in what came, not in what is kept
--   Report  directory of the delivered report
--   Source  the file that it came from
CREATE VIEW ingest AS
SELECT
  strftime('%Y-%m-%dT%H:%M:%S', CAST(i.at_s AS INTEGER), 'unixepoch', 'localtime') AS At,
  i.at_s           AS AtEpoch,
  i.status         AS Status,
  i.run_id         AS RunID,
  r.display_id     AS JobID,
  c.name           AS Cluster,
  i.nodes_reported AS NodesReported,
  i.report_dir     AS Report,
  i.source         AS Source
FROM ingest_log i
LEFT JOIN run r ON r.run_id = i.run_id
LEFT JOIN cluster c ON c.cluster_id = r.cluster_id;
