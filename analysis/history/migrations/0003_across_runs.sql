-- Version 3: what analyses across runs need and what they said.

-- Seconds of one run's parts; NULL is unknown. step_s is the time of the
-- application's reference pattern, not of whatever pattern came first.
ALTER TABLE run ADD COLUMN step_s REAL;
ALTER TABLE run ADD COLUMN cpu_s REAL;
ALTER TABLE run ADD COLUMN startup_s REAL;
ALTER TABLE run ADD COLUMN checkpoint_s REAL;
ALTER TABLE run ADD COLUMN energy_j REAL;

-- The pattern that step_s is the time of, JSON; NULL until a run had one.
ALTER TABLE application ADD COLUMN reference TEXT;

-- What was recorded of a run and may explain a change: build_id, modules, ...
CREATE TABLE run_field (
  run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  name   TEXT NOT NULL,
  value  TEXT NOT NULL,
  PRIMARY KEY (run_id, name)
) WITHOUT ROWID;

-- Changes of speed. An event stays once it is stored; its effect is fitted
-- again as runs come in.
CREATE TABLE change_event (
  event_id        INTEGER PRIMARY KEY,
  series_id       INTEGER NOT NULL REFERENCES run_series ON DELETE CASCADE,
  metric          TEXT NOT NULL,       -- 'elapsed_s', 'step_s', ...
  run_id          INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, -- first of the new level
  detected_run_id INTEGER REFERENCES run ON DELETE SET NULL,         -- with which it was seen
  end_run_id      INTEGER REFERENCES run ON DELETE SET NULL,         -- last of a drift
  kind            TEXT NOT NULL,       -- 'step', 'drift' or 'excursion'
  effect_pct      REAL NOT NULL,       -- positive is larger
  lo_pct          REAL,
  hi_pct          REAL,
  false_per_1000  REAL,
  causes          TEXT NOT NULL,       -- JSON, what else changed then, best first
  at_s            REAL NOT NULL,       -- when it was found
  UNIQUE (series_id, metric, run_id)
);

CREATE INDEX change_event_run ON change_event (run_id);
CREATE INDEX change_event_at ON change_event (at_s);

-- Changes that somebody has seen: --check does not fail for them again.
CREATE TABLE change_ack (
  series_id INTEGER NOT NULL REFERENCES run_series ON DELETE CASCADE,
  run_id    INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  at_s      REAL NOT NULL,
  by_name   TEXT,
  reason    TEXT,
  PRIMARY KEY (series_id, run_id)
) WITHOUT ROWID;

-- The newest scaling model of an application: one row a segment.
CREATE TABLE scaling_segment (
  application_id INTEGER NOT NULL REFERENCES application ON DELETE CASCADE,
  parameter      TEXT NOT NULL,       -- 'nodes', 'tasks', 'size'
  fixed          TEXT NOT NULL,       -- what else was equal: '4c size=L'
  metric         TEXT NOT NULL,
  position       INTEGER NOT NULL,
  first_p        REAL NOT NULL,
  last_p         REAL NOT NULL,
  points         INTEGER NOT NULL,    -- distinct values of the parameter in it
  formula        TEXT,                -- NULL: too few points
  smape          REAL,
  change_p_lo    REAL,                -- the law changes between these two, NULL in the last
  change_p_hi    REAL,
  at_s           REAL NOT NULL,
  PRIMARY KEY (application_id, parameter, fixed, metric, position)
) WITHOUT ROWID;

DROP VIEW jobs;

-- One row for each run. Unless said otherwise a column is sacct's.
--   RunID  joins the views
--   Sub  number of a run inside one batch job (jobgait run); NULL: the job itself
--   StartEpoch  indexed: select by this and not by Start
--   EndEpoch  indexed as well
--   ElapsedS  Elapsed in seconds, with fractions
--   Executable  name of the program that ran
--   Application  executable and job name with digits folded, or the user's --app
--   Shape  nodes x tasks x CPUs per task, and the user's --size
--   SeriesID  of the view series: runs that are compared
--   PeriodS  period of the main pattern
--   PatternCoverage  the part of the run inside that pattern, 0 to 1
--   Iterations  how many cycles of it
--   Confidence  in it, 0 to 1
--   ImbalancePct  how much busier the busiest node was than the mean of all
--   BusyCPUs  how many CPUs the run kept busy, in the mean, all nodes together
--   NodesReported  nodes of which a record came
--   SampleHz  samples a second
--   LostPct  moments of all at which no sample could be taken
--   OverheadPct  what sampling cost, of each CPU
--   Counters  the best that could be read: hw (of the CPU), sw (of the kernel), proc
--     (files) or none
--   Report  directory of the delivered report
--   StepS  time of one cycle of the application's reference pattern; NULL if the run
--     has no such pattern
--   TotalCPUS  CPU time of the run
--   StartUpS  before the first cycle
--   CheckpointS  in checkpoints
--   ConsumedEnergyJ  joules
--   BuildID  build id or hash of the executable
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
  r.report_dir      AS Report,
  r.step_s          AS StepS,
  r.cpu_s           AS TotalCPUS,
  r.startup_s       AS StartUpS,
  r.checkpoint_s    AS CheckpointS,
  r.energy_j        AS ConsumedEnergyJ,
  (SELECT value FROM run_field f WHERE f.run_id = r.run_id AND f.name = 'build_id') AS BuildID
FROM run r
JOIN cluster c ON c.cluster_id = r.cluster_id
JOIN hpc_user u ON u.user_id = r.user_id
LEFT JOIN run_series s ON s.series_id = r.series_id
LEFT JOIN application a ON a.application_id = s.application_id
LEFT JOIN run_pattern p ON p.run_id = r.run_id AND p.position = 0;

-- One row for each change of speed of a series. A row stays once it is there.
--   EventID  its number
--   Metric  what changed: elapsed_s, step_s, ...
--   Kind  step, drift or excursion
--   EffectPct  by how much; positive: a larger value
--   EffectLoPct  lower end of the interval of EffectPct, level 0.95
--   EffectHiPct  upper end of it
--   FalseAlarmsPer1000  how often chance alone shows as much
--   RunID  first run of the new level; JobID and Start are that run's
--   DetectedJobID  the run with which it was seen
--   ChangedThen  JSON: what else was different from that run on, best first
--   At  when it was found
--   Acknowledged  when somebody said that he knows of it
--   AcknowledgedBy  who
CREATE VIEW changes AS
SELECT
  e.event_id    AS EventID,
  s.series_id   AS SeriesID,
  c.name        AS Cluster,
  u.name        AS User,
  a.name        AS Application,
  s.shape       AS Shape,
  e.metric      AS Metric,
  e.kind        AS Kind,
  e.effect_pct  AS EffectPct,
  e.lo_pct      AS EffectLoPct,
  e.hi_pct      AS EffectHiPct,
  e.false_per_1000 AS FalseAlarmsPer1000,
  r.run_id      AS RunID,
  r.display_id  AS JobID,
  strftime('%Y-%m-%dT%H:%M:%S', CAST(r.start_s AS INTEGER), 'unixepoch', 'localtime') AS Start,
  r.start_s     AS StartEpoch,
  d.display_id  AS DetectedJobID,
  e.causes      AS ChangedThen,
  strftime('%Y-%m-%dT%H:%M:%S', CAST(e.at_s AS INTEGER), 'unixepoch', 'localtime') AS At,
  e.at_s        AS AtEpoch,
  strftime('%Y-%m-%dT%H:%M:%S', CAST(k.at_s AS INTEGER), 'unixepoch', 'localtime') AS Acknowledged,
  k.by_name     AS AcknowledgedBy
FROM change_event e
JOIN run_series s ON s.series_id = e.series_id
JOIN application a ON a.application_id = s.application_id
JOIN cluster c ON c.cluster_id = a.cluster_id
JOIN hpc_user u ON u.user_id = a.user_id
JOIN run r ON r.run_id = e.run_id
LEFT JOIN run d ON d.run_id = e.detected_run_id
LEFT JOIN change_ack k ON k.series_id = e.series_id AND k.run_id = e.run_id;

-- One row for each range of a parameter in which one law holds: the newest model
-- of an application.
--   Parameter  what varies: nodes, tasks or size
--   Fixed  what else was equal
--   Metric  what is modelled: step_s, elapsed_s, ...
--   Position  0 is the lowest range
--   FirstP  smallest value of the parameter in it
--   LastP  largest value
--   Points  how many different values
--   Model  formula, p is the parameter; NULL: too few points
--   SMAPE  error of the model, percent
--   ChangeAfterP  the law changes between this value
--   ChangeBeforeP  and this one; both NULL in the last range
--   At  when it was fitted
CREATE VIEW scaling AS
SELECT
  c.name       AS Cluster,
  u.name       AS User,
  a.name       AS Application,
  x.parameter  AS Parameter,
  x.fixed      AS Fixed,
  x.metric     AS Metric,
  x.position   AS Position,
  x.first_p    AS FirstP,
  x.last_p     AS LastP,
  x.points     AS Points,
  x.formula    AS Model,
  x.smape      AS SMAPE,
  x.change_p_lo AS ChangeAfterP,
  x.change_p_hi AS ChangeBeforeP,
  strftime('%Y-%m-%dT%H:%M:%S', CAST(x.at_s AS INTEGER), 'unixepoch', 'localtime') AS At,
  x.at_s       AS AtEpoch
FROM scaling_segment x
JOIN application a ON a.application_id = x.application_id
JOIN cluster c ON c.cluster_id = a.cluster_id
JOIN hpc_user u ON u.user_id = a.user_id;
