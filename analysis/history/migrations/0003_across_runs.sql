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
