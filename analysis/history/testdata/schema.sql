CREATE INDEX change_event_at ON change_event (at_s);

CREATE INDEX change_event_run ON change_event (run_id);

CREATE INDEX ingest_log_at ON ingest_log (at_s);

CREATE INDEX ingest_log_run ON ingest_log (run_id);

CREATE INDEX node_name ON node (name);

CREATE INDEX run_array ON run (array_job_id, array_task_id) WHERE array_job_id IS NOT NULL;

CREATE INDEX run_display ON run (display_id, start_s);

CREATE INDEX run_end ON run (end_s);

CREATE INDEX run_node_node ON run_node (node_id, run_id);

CREATE INDEX run_series_start ON run (series_id, start_s);

CREATE INDEX run_start ON run (start_s);

CREATE INDEX run_user_start ON run (user_id, start_s);

CREATE TABLE application (
  application_id INTEGER PRIMARY KEY,
  cluster_id     INTEGER NOT NULL REFERENCES cluster,
  user_id        INTEGER NOT NULL REFERENCES hpc_user,
  name           TEXT NOT NULL, reference TEXT,
  UNIQUE (user_id, name, cluster_id)
);

CREATE TABLE change_ack (
  series_id INTEGER NOT NULL REFERENCES run_series ON DELETE CASCADE,
  run_id    INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  at_s      REAL NOT NULL,
  by_name   TEXT,
  reason    TEXT,
  PRIMARY KEY (series_id, run_id)
) WITHOUT ROWID;

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

CREATE TABLE cluster (
  cluster_id INTEGER PRIMARY KEY,
  name       TEXT NOT NULL UNIQUE
);

CREATE TABLE hpc_user (
  user_id INTEGER PRIMARY KEY,
  name    TEXT NOT NULL,      -- login name; the uid in digits while it is not known
  uid     INTEGER NOT NULL,   -- a login name given to somebody else is another user
  UNIQUE (name, uid)
);

CREATE TABLE ingest_log (
  ingest_id      INTEGER PRIMARY KEY,
  at_s           REAL NOT NULL,
  run_id         INTEGER REFERENCES run ON DELETE SET NULL,
  status         TEXT NOT NULL,       -- 'added', 'replaced', 'state' or 'kept'
  nodes_reported INTEGER NOT NULL,    -- in what came, not in what is kept
  report_dir     TEXT,
  source         TEXT
);

CREATE TABLE node (
  node_id    INTEGER PRIMARY KEY,
  cluster_id INTEGER NOT NULL REFERENCES cluster,
  name       TEXT NOT NULL,
  UNIQUE (cluster_id, name)
);

CREATE TABLE run (
  run_id          INTEGER PRIMARY KEY,
  cluster_id      INTEGER NOT NULL REFERENCES cluster,
  job_id          INTEGER NOT NULL CHECK (typeof(job_id) = 'integer' AND job_id > 0),
  restart         INTEGER NOT NULL,
  sluid           TEXT NOT NULL,      -- '' = none; not NULL, which no UNIQUE holds apart
  sub             INTEGER NOT NULL,   -- run k inside one batch job, 0 = the job itself
  reuse           INTEGER NOT NULL,   -- 1, 2, ... for runs whose job id was given out again
  display_id      TEXT NOT NULL,      -- job id as sacct shows it; stored to be indexed
  array_job_id    INTEGER,
  array_task_id   INTEGER,
  user_id         INTEGER NOT NULL REFERENCES hpc_user,
  series_id       INTEGER REFERENCES run_series,
  account         TEXT,
  partition_name  TEXT,
  qos             TEXT,
  job_name        TEXT,
  executable      TEXT,
  state           TEXT,
  exit_code       INTEGER,
  exit_signal     INTEGER,
  scheduler_start INTEGER,
  start_s         REAL,
  end_s           REAL,
  elapsed_s       REAL,
  nnodes          INTEGER,
  ncpus           INTEGER,
  ntasks          INTEGER,
  cpus_per_task   INTEGER,
  size            TEXT,
  node_list       TEXT,
  work_dir        TEXT,
  stdout          TEXT,
  imbalance_pct   REAL,
  busy_cpus       REAL,
  nodes_reported  INTEGER NOT NULL,
  sample_hz       REAL,
  lost_pct        REAL,
  overhead_pct    REAL,
  counters        TEXT NOT NULL,      -- 'hw', 'sw', 'proc' or 'none'
  report_dir      TEXT, step_s REAL, cpu_s REAL, startup_s REAL, checkpoint_s REAL, energy_j REAL,
  UNIQUE (job_id, cluster_id, restart, sluid, sub, reuse)
);

CREATE TABLE run_field (
  run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  name   TEXT NOT NULL,
  value  TEXT NOT NULL,
  PRIMARY KEY (run_id, name)
) WITHOUT ROWID;

CREATE TABLE run_node (
  run_id    INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  node_id   INTEGER NOT NULL REFERENCES node,
  position  INTEGER NOT NULL,         -- in the job's node list, from 0
  reported  INTEGER NOT NULL CHECK (reported IN (0, 1)),
  busy_cpus REAL,
  period_s  REAL,
  coverage  REAL,
  samples   INTEGER,
  missing   INTEGER,
  sealed    INTEGER,
  PRIMARY KEY (run_id, node_id)
) WITHOUT ROWID;

CREATE TABLE run_note (
  run_id    INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  position  INTEGER NOT NULL,
  code      TEXT NOT NULL,
  text      TEXT NOT NULL,
  node_name TEXT,
  PRIMARY KEY (run_id, position)
) WITHOUT ROWID;

CREATE TABLE run_pattern (
  run_id      INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  position    INTEGER NOT NULL,       -- 0 = the main pattern
  pattern     TEXT NOT NULL,
  column_name TEXT,
  period_s    REAL NOT NULL,
  period_lo_s REAL,
  period_hi_s REAL,
  period_cv   REAL,
  confidence  REAL,
  coverage    REAL,
  instances   INTEGER,
  PRIMARY KEY (run_id, position)
) WITHOUT ROWID;

CREATE TABLE run_series (
  series_id      INTEGER PRIMARY KEY,
  application_id INTEGER NOT NULL REFERENCES application,
  shape          TEXT NOT NULL,
  UNIQUE (application_id, shape)
);

CREATE TABLE run_summary (
  run_id INTEGER PRIMARY KEY REFERENCES run ON DELETE CASCADE,
  schema TEXT NOT NULL,
  body   BLOB NOT NULL                -- JSON, compressed with zlib
);

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

