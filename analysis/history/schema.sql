-- The schema of the history: tables and indexes, then the views.
-- Tables may change from version to version and their names begin with internal_; the views without this prefix are
-- what queries should use.
-- Nothing here is newer than SQLite 3.26: one STRICT table or one "->" in a view, and
-- the sqlite3 of an older distribution calls the whole file malformed.
-- In a history of an earlier version, missing tables and indexes are created and every
-- view is recreated; schema.go describes what else a change needs.
-- Columns that end in _s are seconds (times: UTC epoch), NULL is unknown.

CREATE TABLE IF NOT EXISTS internal_cluster (
  cluster_id INTEGER PRIMARY KEY,
  name       TEXT NOT NULL UNIQUE
);

CREATE TABLE IF NOT EXISTS internal_hpc_user (
  user_id INTEGER PRIMARY KEY,
  name    TEXT NOT NULL,      -- login name; the uid in digits while it is not known
  uid     INTEGER NOT NULL,   -- a login name that is given to another person is another user
  UNIQUE (name, uid)
);

CREATE TABLE IF NOT EXISTS internal_node (
  node_id    INTEGER PRIMARY KEY,
  cluster_id INTEGER NOT NULL REFERENCES internal_cluster,
  name       TEXT NOT NULL,
  UNIQUE (cluster_id, name)
);

-- For queries of what ran on a node by its name alone. Without this index SQLite read the
-- rows of all nodes of all runs: 20 s of a history of a million runs on 2.3 million
-- nodes, 40 s for the nodes that sent no record in a week; with it 2 ms and 17 ms.
CREATE INDEX IF NOT EXISTS node_name ON internal_node (name);

CREATE TABLE IF NOT EXISTS internal_application (
  application_id INTEGER PRIMARY KEY,
  cluster_id     INTEGER NOT NULL REFERENCES internal_cluster,
  user_id        INTEGER NOT NULL REFERENCES internal_hpc_user,
  name           TEXT NOT NULL,
  reference      TEXT,        -- the pattern that step_s is the time of, JSON; NULL until a run had one
  UNIQUE (user_id, name, cluster_id)
);

-- For queries of one application. Without this index SQLite began with all runs of a
-- year: ten million steps of its virtual machine for the cycles by week of an application
-- without runs among 640,000; with it 32. Storing a run writes nothing to it.
CREATE INDEX IF NOT EXISTS application_name ON internal_application (name);

CREATE TABLE IF NOT EXISTS internal_run_series (
  series_id      INTEGER PRIMARY KEY,
  application_id INTEGER NOT NULL REFERENCES internal_application,
  shape          TEXT NOT NULL,
  UNIQUE (application_id, shape)
);

-- Texts that many runs share. In those of paths char(1) stands for the run's job id.
CREATE TABLE IF NOT EXISTS internal_word (
  word_id INTEGER PRIMARY KEY,
  text    TEXT NOT NULL UNIQUE
);

CREATE TABLE IF NOT EXISTS internal_run (
  run_id          INTEGER PRIMARY KEY,
  cluster_id      INTEGER NOT NULL REFERENCES internal_cluster,
  job_id          INTEGER NOT NULL CHECK (typeof(job_id) = 'integer' AND job_id > 0),
  restart         INTEGER NOT NULL,
  sluid           TEXT NOT NULL,      -- '' = none; not NULL, which no UNIQUE holds apart
  sub             INTEGER NOT NULL,   -- run k inside one batch job, 0 = the job itself
  reuse           INTEGER NOT NULL,   -- 1, 2, ... for runs whose job id was given out again
  display_id      TEXT NOT NULL,      -- job id as sacct shows it; stored to be indexed
  array_job_id    INTEGER,
  array_task_id   INTEGER,
  het_job_id      INTEGER,            -- of the first component of a heterogeneous job
  user_id         INTEGER NOT NULL REFERENCES internal_hpc_user,
  series_id       INTEGER REFERENCES internal_run_series,
  account_id      INTEGER,            -- of word, as are those below that end in _id and are texts in the view jobs
  partition_id    INTEGER,
  qos_id          INTEGER,
  job_name        TEXT,
  executable_id   INTEGER,
  state_id        INTEGER,
  commented       INTEGER,            -- 1: the comment of the job in the scheduler's accounting was set or is kept
  exit_code       INTEGER,
  exit_signal     INTEGER,
  scheduler_start INTEGER,
  submit_s        INTEGER,            -- the scheduler's: submitted, and kept only by resources since
  eligible_s      INTEGER,
  start_s         INTEGER,            -- to the second, as sacct's: in three indexes a fraction takes twice the room
  end_s           INTEGER,
  elapsed_ms      INTEGER,
  nnodes          INTEGER,
  ncpus           INTEGER,
  ntasks          INTEGER,
  cpus_per_task   INTEGER,
  size            TEXT,
  node_list       TEXT,
  work_dir_id     INTEGER,
  stdout_id       INTEGER,
  imbalance       INTEGER,            -- 1/10,000
  busy_mcpu       INTEGER,            -- 1/1000 CPU
  nodes_reported  INTEGER NOT NULL,
  sample_hz       REAL,
  lost_ppm        INTEGER,
  overhead_ppm    INTEGER,
  prolog_ms       INTEGER,            -- for how long the hooks kept the node
  epilog_ms       INTEGER,
  counters_id     INTEGER,            -- 'hw', 'sw', 'proc' or 'none'
  report_dir_id   INTEGER,
  step_us         INTEGER,            -- of the application's reference pattern, not of whatever came first
  cpu_ms          INTEGER,            -- NULL where it is that of the busy CPUs: the view jobs has both
  startup_ms      INTEGER,
  checkpoint_ms   INTEGER,
  waiting_mcpu    INTEGER,            -- means over the run
  throttled_mcpu  INTEGER,
  stolen_mcpu     INTEGER,
  mem_peak        REAL,               -- bytes
  mem_requested   REAL,
  oom_kills       REAL,
  read_bytes      REAL,
  written_bytes   REAL,
  io_wait_ms      INTEGER,
  net_rx_bytes    REAL,
  net_tx_bytes    REAL,
  limit_s         REAL,
  step_cpu_us     INTEGER,            -- CPU time and waiting of one such cycle, all tasks
  step_wait_us    INTEGER,
  others_mcpu     INTEGER,
  energy_mj       INTEGER,
  set_id          INTEGER,            -- of field_set; NULL: nothing was recorded
  pattern         TEXT,               -- the main pattern, columns as in run_pattern; NULL: none
  column_id       INTEGER,
  period_us       INTEGER,
  period_below_us INTEGER,
  period_above_us INTEGER,
  period_cv       INTEGER,
  confidence      INTEGER,
  coverage        INTEGER,
  instances       INTEGER,
  UNIQUE (job_id, cluster_id, restart, sluid, sub, reuse)
);

CREATE INDEX IF NOT EXISTS run_display ON internal_run (display_id);
CREATE INDEX IF NOT EXISTS run_series_start ON internal_run (series_id, start_s);
CREATE INDEX IF NOT EXISTS run_user_start ON internal_run (user_id, start_s);
CREATE INDEX IF NOT EXISTS run_start ON internal_run (start_s);
CREATE INDEX IF NOT EXISTS run_end ON internal_run (end_s);
CREATE INDEX IF NOT EXISTS run_array ON internal_run (array_job_id, array_task_id) WHERE array_job_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS run_het ON internal_run (het_job_id) WHERE het_job_id IS NOT NULL;

CREATE TABLE IF NOT EXISTS internal_run_node (
  run_id    INTEGER NOT NULL REFERENCES internal_run ON DELETE CASCADE,
  node_id   INTEGER NOT NULL REFERENCES internal_node,
  position  INTEGER NOT NULL,         -- in the job's node list, from 0
  reported  INTEGER NOT NULL CHECK (reported IN (0, 1)),
  busy_mcpu INTEGER,                  -- 1/1000 CPU: whole numbers take half the room
  period_us INTEGER,
  coverage  INTEGER,                  -- 1/10,000
  samples   INTEGER,
  missing   INTEGER,
  sealed    INTEGER,
  PRIMARY KEY (run_id, node_id)
) WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS run_node_node ON internal_run_node (node_id, run_id);

-- Patterns after the main one, which is in the row of its run.
CREATE TABLE IF NOT EXISTS internal_run_pattern (
  run_id          INTEGER NOT NULL REFERENCES internal_run ON DELETE CASCADE,
  position        INTEGER NOT NULL,   -- from 1
  pattern         TEXT NOT NULL,
  column_id       INTEGER,            -- of word
  period_us       INTEGER NOT NULL,
  period_below_us INTEGER,            -- from the lower end of its interval, and to the upper:
  period_above_us INTEGER,            -- distances take less room
  period_cv       INTEGER,            -- 1/10,000, as the next two
  confidence      INTEGER,
  coverage        INTEGER,
  instances       INTEGER,
  PRIMARY KEY (run_id, position)
) WITHOUT ROWID;

-- What notes say: 64 texts of each code, which nearly all runs of a site share.
CREATE TABLE IF NOT EXISTS internal_note_text (
  text_id INTEGER PRIMARY KEY,
  code_id INTEGER NOT NULL,           -- of word
  text    TEXT NOT NULL,              -- '' = each note has its own
  UNIQUE (code_id, text)
);

CREATE TABLE IF NOT EXISTS internal_run_note (
  run_id    INTEGER NOT NULL REFERENCES internal_run ON DELETE CASCADE,
  position  INTEGER NOT NULL,
  text_id   INTEGER NOT NULL REFERENCES internal_note_text,
  text      TEXT,                     -- NULL: that of note_text
  node_name TEXT,
  PRIMARY KEY (run_id, position)
) WITHOUT ROWID;

-- The codes of findings, a few dozen.
CREATE TABLE IF NOT EXISTS internal_finding_code (
  code_id INTEGER PRIMARY KEY,
  code    TEXT NOT NULL,
  level   TEXT NOT NULL,
  UNIQUE (code, level)
);

-- What limited a run, by the rules of analysis/finding: 32 findings at most.
CREATE TABLE IF NOT EXISTS internal_run_finding (
  run_id   INTEGER NOT NULL REFERENCES internal_run ON DELETE CASCADE,
  position INTEGER NOT NULL,          -- from 0, the most important first
  code_id  INTEGER NOT NULL REFERENCES internal_finding_code,
  cost_ms  INTEGER,                   -- core milliseconds, NULL where that is not known
  evidence TEXT,                      -- JSON, 400 bytes at most; NULL: none, or longer
  PRIMARY KEY (run_id, position)
) WITHOUT ROWID;

-- The whole summary, to draw a report again. A table of its own, so that no
-- query through the views reads past it.
CREATE TABLE IF NOT EXISTS internal_run_summary (
  run_id INTEGER PRIMARY KEY REFERENCES internal_run ON DELETE CASCADE,
  schema TEXT NOT NULL,
  body   BLOB NOT NULL                -- JSON, compressed with zstd and the dictionary of this version
);

-- In the order in which it is queried and pruned. Rows of a removed run keep its
-- number, which is not reused while they exist (prune.go).
CREATE TABLE IF NOT EXISTS internal_ingest_log (
  at_s           INTEGER NOT NULL,
  run_id         INTEGER NOT NULL,    -- 0 = none
  n              INTEGER NOT NULL,    -- counts those of one run and second from 0
  status         INTEGER NOT NULL,    -- see the view ingest
  nodes_reported INTEGER NOT NULL,    -- in what came, not in what is kept
  source         TEXT,
  PRIMARY KEY (at_s, run_id, n)
) WITHOUT ROWID;

-- What was recorded of runs and may explain a change: build_id, modules, ...
CREATE TABLE IF NOT EXISTS internal_field (
  field_id INTEGER PRIMARY KEY,
  name     TEXT NOT NULL,
  value    TEXT NOT NULL,
  UNIQUE (name, value)
);

-- All that was recorded of a run is a set, which most runs of an application have in
-- common: as rows of each run they took eleven times the room.
CREATE TABLE IF NOT EXISTS internal_field_set (
  set_id   INTEGER PRIMARY KEY,
  fields   TEXT NOT NULL UNIQUE,      -- the field_id of each, in order: 3,17,20
  build_id INTEGER                    -- that of build_id among them: the view jobs shows it
);

CREATE TABLE IF NOT EXISTS internal_set_field (
  set_id   INTEGER NOT NULL REFERENCES internal_field_set,
  field_id INTEGER NOT NULL REFERENCES internal_field,
  PRIMARY KEY (set_id, field_id)
) WITHOUT ROWID;

CREATE VIEW IF NOT EXISTS internal_run_field (run_id, name, value) AS
SELECT r.run_id, f.name, f.value FROM internal_run r JOIN internal_set_field x ON x.set_id = r.set_id JOIN internal_field f ON f.field_id = x.field_id;

-- What ended on a day (UTC) by user, account and partition. Kept by the triggers below;
-- a run that is removed stays in it: prune never removes what it has summed up.
CREATE TABLE IF NOT EXISTS internal_day (
  day          INTEGER NOT NULL,      -- since 1970
  cluster_id   INTEGER NOT NULL REFERENCES internal_cluster,
  user_id      INTEGER NOT NULL REFERENCES internal_hpc_user,
  account_id   INTEGER NOT NULL,      -- of word, 0 = none
  partition_id INTEGER NOT NULL,
  jobs         INTEGER NOT NULL,
  failed       INTEGER NOT NULL,
  node_s       REAL NOT NULL,
  idle_node_s  REAL NOT NULL,         -- of runs whose CPUs were mostly idle and not waited for
  cpu_s        REAL NOT NULL,
  energy_j     REAL NOT NULL,
  energy_jobs  INTEGER NOT NULL,      -- whose nodes count it
  PRIMARY KEY (day, cluster_id, user_id, account_id, partition_id)
) WITHOUT ROWID;

CREATE VIEW IF NOT EXISTS internal_run_day AS
SELECT run_id, end_s / 86400 AS day, cluster_id, user_id,
  coalesce(account_id, 0) AS account_id, coalesce(partition_id, 0) AS partition_id, 1 AS jobs,
  coalesce(exit_code <> 0 OR exit_signal <> 0, 0) AS failed, round(coalesce(nnodes * elapsed_ms, 0) / 1e3) AS node_s,
  round(CASE WHEN busy_mcpu + coalesce(waiting_mcpu, 0) < 500 * ncpus THEN coalesce(nnodes * elapsed_ms, 0) ELSE 0 END / 1e3) AS idle_node_s,
  round(coalesce(cpu_ms, CASE WHEN nodes_reported = nnodes THEN busy_mcpu * elapsed_ms / 1e3 END, 0) / 1e3) AS cpu_s, round(coalesce(energy_mj, 0) / 1e3) AS energy_j,
  energy_mj IS NOT NULL AS energy_jobs
FROM internal_run WHERE end_s IS NOT NULL;

CREATE TRIGGER IF NOT EXISTS run_added AFTER INSERT ON internal_run BEGIN
  INSERT INTO internal_day SELECT day, cluster_id, user_id, account_id, partition_id, jobs, failed, node_s, idle_node_s, cpu_s, energy_j, energy_jobs
    FROM internal_run_day WHERE run_id = NEW.run_id
  ON CONFLICT (day, cluster_id, user_id, account_id, partition_id) DO UPDATE SET jobs = jobs + excluded.jobs,
    failed = failed + excluded.failed, node_s = node_s + excluded.node_s, idle_node_s = idle_node_s + excluded.idle_node_s,
    cpu_s = cpu_s + excluded.cpu_s, energy_j = energy_j + excluded.energy_j, energy_jobs = energy_jobs + excluded.energy_jobs;
END;

CREATE TRIGGER IF NOT EXISTS run_changes BEFORE UPDATE ON internal_run BEGIN
  UPDATE internal_day SET (jobs, failed, node_s, idle_node_s, cpu_s, energy_j, energy_jobs) = (
    SELECT internal_day.jobs - d.jobs, internal_day.failed - d.failed, internal_day.node_s - d.node_s, internal_day.idle_node_s - d.idle_node_s,
      internal_day.cpu_s - d.cpu_s, internal_day.energy_j - d.energy_j, internal_day.energy_jobs - d.energy_jobs FROM internal_run_day d WHERE d.run_id = OLD.run_id)
    WHERE (day, cluster_id, user_id, account_id, partition_id) = (
      SELECT day, cluster_id, user_id, account_id, partition_id FROM internal_run_day WHERE run_id = OLD.run_id);
END;

CREATE TRIGGER IF NOT EXISTS run_changed AFTER UPDATE ON internal_run BEGIN
  INSERT INTO internal_day SELECT day, cluster_id, user_id, account_id, partition_id, jobs, failed, node_s, idle_node_s, cpu_s, energy_j, energy_jobs
    FROM internal_run_day WHERE run_id = NEW.run_id
  ON CONFLICT (day, cluster_id, user_id, account_id, partition_id) DO UPDATE SET jobs = jobs + excluded.jobs,
    failed = failed + excluded.failed, node_s = node_s + excluded.node_s, idle_node_s = idle_node_s + excluded.idle_node_s,
    cpu_s = cpu_s + excluded.cpu_s, energy_j = energy_j + excluded.energy_j, energy_jobs = energy_jobs + excluded.energy_jobs;
END;

-- What jobgait prune has done: of runs that ended before that time.
CREATE TABLE IF NOT EXISTS internal_pruned (
  kind    TEXT PRIMARY KEY,           -- 'profiles', 'nodes', 'functions', 'runs' or 'ingest'
  until_s REAL NOT NULL
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS internal_counter (
  counter_id INTEGER PRIMARY KEY,
  name       TEXT NOT NULL,
  scope      TEXT NOT NULL,
  unit       TEXT NOT NULL,
  UNIQUE (name, scope, unit)
);

-- Totals of counters over a run, all nodes together.
CREATE TABLE IF NOT EXISTS internal_run_counter (
  run_id     INTEGER NOT NULL REFERENCES internal_run ON DELETE CASCADE,
  counter_id INTEGER NOT NULL REFERENCES internal_counter,
  total      REAL NOT NULL,
  share      REAL,                    -- NULL: of the whole run
  PRIMARY KEY (run_id, counter_id)
) WITHOUT ROWID;

-- Changes of speed. An event stays once it is stored; its effect is fitted
-- again as runs come in.
CREATE TABLE IF NOT EXISTS internal_change_event (
  event_id        INTEGER PRIMARY KEY,
  series_id       INTEGER NOT NULL REFERENCES internal_run_series ON DELETE CASCADE,
  metric          TEXT NOT NULL,       -- 'elapsed_s', 'step_s', ...
  run_id          INTEGER NOT NULL REFERENCES internal_run ON DELETE CASCADE, -- first of the new level
  detected_run_id INTEGER REFERENCES internal_run ON DELETE SET NULL,         -- with which it was seen
  end_run_id      INTEGER REFERENCES internal_run ON DELETE SET NULL,         -- last of a drift
  kind            TEXT NOT NULL,       -- 'step', 'drift' or 'excursion'
  effect_pct      REAL NOT NULL,       -- positive is larger
  lo_pct          REAL,
  hi_pct          REAL,
  false_per_1000  REAL,
  causes          TEXT NOT NULL,       -- JSON, what else changed then, best first
  at_s            REAL NOT NULL,       -- when it was found
  UNIQUE (series_id, metric, run_id)
);

CREATE INDEX IF NOT EXISTS change_event_run ON internal_change_event (run_id);
CREATE INDEX IF NOT EXISTS change_event_at ON internal_change_event (at_s);

-- Acknowledged changes: --check does not fail for them again.
CREATE TABLE IF NOT EXISTS internal_change_ack (
  series_id INTEGER NOT NULL REFERENCES internal_run_series ON DELETE CASCADE,
  run_id    INTEGER NOT NULL REFERENCES internal_run ON DELETE CASCADE,
  at_s      REAL NOT NULL,
  by_name   TEXT,
  reason    TEXT,
  PRIMARY KEY (series_id, run_id)
) WITHOUT ROWID;

-- The newest scaling model of an application: one row a segment.
CREATE TABLE IF NOT EXISTS internal_scaling_segment (
  application_id INTEGER NOT NULL REFERENCES internal_application ON DELETE CASCADE,
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

-- The views, which are the contract. Names are sacct's where sacct
-- has the field; an unknown value is NULL, never 0. RunID joins the views, because a
-- job id may stand for several runs. Columns are added, never renamed.

-- Every run has a cluster and a user. The views use a LEFT JOIN nevertheless: then SQLite
-- begins with them only if a query names one. Otherwise, after ANALYZE, it would search
-- the runs of a week user by user.

-- One row for each run. Columns without a description are those of sacct.
--   RunID  joins the views
--   Sub  number of a run inside one batch job (jobgait run); NULL: the job itself
--   StartEpoch  indexed: select by this and not by Start
--   EndEpoch  indexed as well
--   SubmitEpoch  Submit in epoch seconds
--   EligibleEpoch  Eligible in epoch seconds
--   PlannedS  sacct's Planned in seconds: how long the job waited in the queue, from Eligible to Start
--   Timelimit  as sacct's; NULL: unlimited, or unknown
--   ReqMem  of all nodes together, as sacct's; of a job that requested none the limit of its
--     cgroup, where sacct may show the memory of the node
--   PrologS  how long jobgait's Prolog delayed the job, on the slowest node
--   EpilogS  how long jobgait's Epilog held the node that wrote the report
--   ElapsedS  Elapsed in seconds, with fractions
--   Executable  name of the program that ran
--   Application  executable and job name with digits folded, or the user's --app
--   Shape  nodes x tasks x CPUs per task, and the user's --size
--   SeriesID  row of the view series: runs that are compared with each other
--   PeriodS  period of the main pattern
--   PatternCoverage  the part of the run inside that pattern, 0 to 1
--   Iterations  number of its cycles
--   Confidence  of the main pattern, 0 to 1
--   ImbalancePct  how much busier the busiest node was than the mean of all
--   BusyCPUs  mean number of CPUs that the run kept busy, all nodes together
--   NodesReported  number of nodes that sent a record
--   SampleHz  samples a second
--   LostPct  share of the sampling times at which no sample could be taken
--   OverheadPct  cost of sampling, in percent of each CPU
--   Counters  the best counters that could be read: hw (of the CPU), sw (of the kernel), proc
--     (files) or none
--   Report  directory of the delivered report
--   StepS  time of one cycle of the application's reference pattern; NULL if the run
--     has no such pattern
--   StepCPUS  CPU time of one such cycle, all tasks together
--   StepWaitS  time in one such cycle that the tasks waited for a CPU
--   TotalCPUS  sacct's TotalCPU in seconds, counted by jobgait: it includes processes that no
--     accounting plugin of Slurm polls, and those that Slurm has lost
--   StartUpS  time before the first cycle
--   CheckpointS  time in checkpoints
--   ConsumedEnergyJ  energy in joules
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
  (SELECT text FROM internal_word WHERE word_id = r.account_id) AS Account,
  (SELECT text FROM internal_word WHERE word_id = r.partition_id) AS Partition,
  (SELECT text FROM internal_word WHERE word_id = r.qos_id) AS QOS,
  r.job_name        AS JobName,
  (SELECT text FROM internal_word WHERE word_id = r.state_id) AS State,
  r.exit_code || ':' || r.exit_signal AS ExitCode,
  strftime('%Y-%m-%dT%H:%M:%S', r.submit_s, 'unixepoch', 'localtime') AS Submit,
  strftime('%Y-%m-%dT%H:%M:%S', r.eligible_s, 'unixepoch', 'localtime') AS Eligible,
  strftime('%Y-%m-%dT%H:%M:%S', r.start_s, 'unixepoch', 'localtime') AS Start,
  strftime('%Y-%m-%dT%H:%M:%S', r.end_s, 'unixepoch', 'localtime') AS End,
  r.submit_s        AS SubmitEpoch,
  r.eligible_s      AS EligibleEpoch,
  max(0, coalesce(r.scheduler_start, r.start_s) - r.eligible_s) AS PlannedS,
  r.start_s         AS StartEpoch,
  r.end_s           AS EndEpoch,
  CASE WHEN r.elapsed_ms >= 86400000 THEN (r.elapsed_ms / 86400000) || '-' ELSE '' END
    || strftime('%H:%M:%S', r.elapsed_ms / 1000 % 86400, 'unixepoch') AS Elapsed,
  r.elapsed_ms / 1000 AS ElapsedRaw,
  r.elapsed_ms / 1e3 AS ElapsedS,
  CASE WHEN r.limit_s >= 86400 THEN CAST(r.limit_s / 86400 AS INTEGER) || '-' ELSE '' END
    || strftime('%H:%M:%S', CAST(r.limit_s AS INTEGER) % 86400, 'unixepoch') AS Timelimit,
  CAST(r.limit_s / 60 AS INTEGER) AS TimelimitRaw,
  CASE WHEN CAST(r.mem_requested / 1048576 AS INTEGER) % 1024 = 0 THEN CAST(r.mem_requested / 1073741824 AS INTEGER) || 'G'
    ELSE CAST(r.mem_requested / 1048576 AS INTEGER) || 'M' END AS ReqMem,
  r.prolog_ms / 1e3 AS PrologS,
  r.epilog_ms / 1e3 AS EpilogS,
  r.nnodes          AS NNodes,
  r.ncpus           AS NCPUS,
  r.ntasks          AS NTasks,
  r.node_list       AS NodeList,
  replace((SELECT text FROM internal_word WHERE word_id = r.work_dir_id), char(1), r.display_id) AS WorkDir,
  replace((SELECT text FROM internal_word WHERE word_id = r.stdout_id), char(1), r.display_id) AS StdOut,
  (SELECT text FROM internal_word WHERE word_id = r.executable_id) AS Executable,
  a.name            AS Application,
  s.shape           AS Shape,
  r.series_id       AS SeriesID,
  r.period_us / 1e6 AS PeriodS,
  r.coverage / 1e4  AS PatternCoverage,
  r.instances       AS Iterations,
  r.confidence / 1e4 AS Confidence,
  r.imbalance / 1e2 AS ImbalancePct,
  r.busy_mcpu / 1e3 AS BusyCPUs,
  r.nodes_reported  AS NodesReported,
  r.sample_hz       AS SampleHz,
  r.lost_ppm / 1e4  AS LostPct,
  r.overhead_ppm / 1e4 AS OverheadPct,
  (SELECT text FROM internal_word WHERE word_id = r.counters_id) AS Counters,
  replace((SELECT text FROM internal_word WHERE word_id = r.report_dir_id), char(1), r.display_id) AS Report,
  r.step_us / 1e6   AS StepS,
  r.step_cpu_us / 1e6 AS StepCPUS,
  r.step_wait_us / 1e6 AS StepWaitS,
  coalesce(r.cpu_ms / 1e3, CASE WHEN r.nodes_reported = r.nnodes THEN r.busy_mcpu * r.elapsed_ms / 1e6 END) AS TotalCPUS,
  r.startup_ms / 1e3 AS StartUpS,
  r.checkpoint_ms / 1e3 AS CheckpointS,
  r.energy_mj / 1e3 AS ConsumedEnergyJ,
  (SELECT f.value FROM internal_field_set x CROSS JOIN internal_field f ON f.field_id = x.build_id WHERE x.set_id = r.set_id) AS BuildID
FROM internal_run r
LEFT JOIN internal_cluster c ON c.cluster_id = r.cluster_id
LEFT JOIN internal_hpc_user u ON u.user_id = r.user_id
LEFT JOIN internal_run_series s ON s.series_id = r.series_id
LEFT JOIN internal_application a ON a.application_id = s.application_id;

-- One row for each run: the resources that it was given and used. CPUs are means over the
-- run, all nodes together. NULL: not measured, or no limit.
--   StartEpoch  indexed: select by this
--   AllocatedCPUs  CPUs that the run was given
--   BusyCPUs  CPUs that it kept busy
--   WaitingCPUs  number of its tasks that were ready to run and had no CPU
--   ThrottledCPUs  CPUs that a limit of the cgroup withheld
--   StolenCPUs  CPUs that the host of the nodes (virtual machines) used for others
--   OthersCPUs  CPUs available to the run that others kept busy while it waited
--   PeakMemBytes  largest sum of the anonymous and shared memory of all tasks at one moment,
--     without page cache. sacct's MaxRSS is the largest resident set of one task, with mapped files
--   RequestedMemBytes  requested memory, otherwise the limit of the cgroup
--   OOMKills  processes killed for lack of memory
--   ReadBytes  read from storage
--   WrittenBytes  written to storage
--   IOWaitS  time in which all tasks waited for storage
--   NetRxBytes  received by nodes that the run did not share
--   NetTxBytes  sent by these nodes
--   UsedS  elapsed time, without suspensions
--   LimitS  time limit
--   EnergyJ  joules of the processors
CREATE VIEW job_resources AS
SELECT
  r.run_id        AS RunID,
  r.display_id    AS JobID,
  c.name          AS Cluster,
  u.name          AS User,
  r.start_s       AS StartEpoch,
  r.ncpus         AS AllocatedCPUs,
  r.busy_mcpu / 1e3 AS BusyCPUs,
  r.waiting_mcpu / 1e3 AS WaitingCPUs,
  r.throttled_mcpu / 1e3 AS ThrottledCPUs,
  r.stolen_mcpu / 1e3 AS StolenCPUs,
  r.others_mcpu / 1e3 AS OthersCPUs,
  r.mem_peak      AS PeakMemBytes,
  r.mem_requested AS RequestedMemBytes,
  r.oom_kills     AS OOMKills,
  r.read_bytes    AS ReadBytes,
  r.written_bytes AS WrittenBytes,
  r.io_wait_ms / 1e3 AS IOWaitS,
  r.net_rx_bytes  AS NetRxBytes,
  r.net_tx_bytes  AS NetTxBytes,
  r.elapsed_ms / 1e3 AS UsedS,
  r.limit_s       AS LimitS,
  r.energy_mj / 1e3 AS EnergyJ
FROM internal_run r
LEFT JOIN internal_cluster c ON c.cluster_id = r.cluster_id
LEFT JOIN internal_hpc_user u ON u.user_id = r.user_id;

-- One row for each recorded field of a run that may explain a change of its speed:
-- values given by users, and values that jobgait found.
--   Name  build_id, commit, modules, cpu_model, slurm_version, omp_num_threads; labels
--     begin with label.
--   Value  as recorded, limited to 4096 characters
CREATE VIEW job_fields AS
SELECT
  r.run_id     AS RunID,
  r.display_id AS JobID,
  c.name       AS Cluster,
  u.name       AS User,
  r.start_s    AS StartEpoch,
  f.name       AS Name,
  f.value      AS Value
FROM internal_run r
JOIN internal_set_field x ON x.set_id = r.set_id
JOIN internal_field f ON f.field_id = x.field_id
LEFT JOIN internal_cluster c ON c.cluster_id = r.cluster_id
LEFT JOIN internal_hpc_user u ON u.user_id = r.user_id;

-- One row for each counter that was read in a run, summed over its nodes.
--   Name  as in the report's JSON: instructions, page_faults, net_rx_bytes, ...
--   Unit  of Total
--   Scope  job: of the run's processes; node: of nodes that the run did not share
--   Total  sum over the run
--   Share  the part of the run that it covers; NULL: all of it
CREATE VIEW job_counters AS
SELECT
  r.run_id     AS RunID,
  r.display_id AS JobID,
  c.name       AS Cluster,
  u.name       AS User,
  r.start_s    AS StartEpoch,
  k.name       AS Name,
  k.unit       AS Unit,
  k.scope      AS Scope,
  x.total      AS Total,
  x.share      AS Share
FROM internal_run_counter x
JOIN internal_counter k ON k.counter_id = x.counter_id
JOIN internal_run r ON r.run_id = x.run_id
LEFT JOIN internal_cluster c ON c.cluster_id = r.cluster_id
LEFT JOIN internal_hpc_user u ON u.user_id = r.user_id;

-- One row for each node of a run.
--   Reported  1 if the node sent a record; 0 if not, then the other columns are NULL
--   BusyCPUs  mean number of CPUs that the run kept busy there
--   PeriodS  period of the main pattern as that node saw it
--   PatternCoverage  the part of the run inside that pattern, 0 to 1
--   Samples  number of times at which samples were due
--   LostPct  share of these times at which no sample could be taken
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
  x.busy_mcpu / 1e3 AS BusyCPUs,
  x.period_us / 1e6 AS PeriodS,
  x.coverage / 1e4 AS PatternCoverage,
  x.samples    AS Samples,
  100.0 * x.missing / nullif(x.samples, 0) AS LostPct,
  x.sealed     AS Sealed
FROM internal_run_node x
JOIN internal_run r ON r.run_id = x.run_id
JOIN internal_node n ON n.node_id = x.node_id
LEFT JOIN internal_cluster c ON c.cluster_id = r.cluster_id
LEFT JOIN internal_hpc_user u ON u.user_id = r.user_id;

-- One row for each pattern of a run.
--   Position  0 is the main pattern
--   Pattern  its letter in the report
--   ColumnName  the counter in which it was found
--   PeriodS  duration of one cycle
--   PeriodLoS  lower end of the interval of PeriodS, level 0.95
--   PeriodHiS  upper end of it
--   PeriodCV  scatter of single cycles: standard deviation over mean
--   Confidence  0 to 1
--   PatternCoverage  the part of the run inside the pattern, 0 to 1
--   Iterations  number of cycles
CREATE VIEW job_patterns AS
SELECT
  r.run_id      AS RunID,
  r.display_id  AS JobID,
  c.name        AS Cluster,
  u.name        AS User,
  0             AS Position,
  r.pattern     AS Pattern,
  (SELECT text FROM internal_word WHERE word_id = r.column_id) AS ColumnName,
  r.period_us / 1e6 AS PeriodS,
  (r.period_us - r.period_below_us) / 1e6 AS PeriodLoS,
  (r.period_us + r.period_above_us) / 1e6 AS PeriodHiS,
  r.period_cv / 1e4 AS PeriodCV,
  r.confidence / 1e4 AS Confidence,
  r.coverage / 1e4 AS PatternCoverage,
  r.instances   AS Iterations
FROM internal_run r
LEFT JOIN internal_cluster c ON c.cluster_id = r.cluster_id
LEFT JOIN internal_hpc_user u ON u.user_id = r.user_id
WHERE r.pattern IS NOT NULL
UNION ALL SELECT r.run_id, r.display_id, c.name, u.name, x.position, x.pattern, (SELECT text FROM internal_word WHERE word_id = x.column_id),
  x.period_us / 1e6, (x.period_us - x.period_below_us) / 1e6, (x.period_us + x.period_above_us) / 1e6,
  x.period_cv / 1e4, x.confidence / 1e4, x.coverage / 1e4, x.instances
FROM internal_run_pattern x
JOIN internal_run r ON r.run_id = x.run_id
LEFT JOIN internal_cluster c ON c.cluster_id = r.cluster_id
LEFT JOIN internal_hpc_user u ON u.user_id = r.user_id;

-- One row for each note of a run: what its report could not state, or states with a warning.
--   NodeName  the node that the note is about; NULL: the run
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
  (SELECT text FROM internal_word WHERE word_id = t.code_id) AS Code,
  coalesce(x.text, t.text) AS Text
FROM internal_run_note x
JOIN internal_run r ON r.run_id = x.run_id
LEFT JOIN internal_note_text t ON t.text_id = x.text_id
LEFT JOIN internal_cluster c ON c.cluster_id = r.cluster_id
LEFT JOIN internal_hpc_user u ON u.user_id = r.user_id;

-- One row for each finding of a run: what limited it. Findings that compare a run with others
-- are in the views changes and scaling, since they change with the runs that follow. A
-- run that was stored before this view existed has none until jobgait reanalyse stores it again.
--   EndEpoch  indexed in the view jobs: select by this
--   Position  from 0, the most important first
--   Code  stable, see jobgait-report(7), which has the rule of each
--   Level  error, warning or info
--   CostCoreS  cost of the finding in core seconds; NULL: not known
--   CostNodeHours  the same in node hours
--   NodeHours  of the whole run
--   Evidence  JSON: the values on which the finding is based
CREATE VIEW job_findings AS
SELECT
  r.run_id     AS RunID,
  r.display_id AS JobID,
  c.name       AS Cluster,
  u.name       AS User,
  r.end_s      AS EndEpoch,
  x.position   AS Position,
  k.code       AS Code,
  k.level      AS Level,
  x.cost_ms / 1e3 AS CostCoreS,
  x.cost_ms / 3.6e6 * r.nnodes / nullif(r.ncpus, 0) AS CostNodeHours,
  r.nnodes * r.elapsed_ms / 3.6e6 AS NodeHours,
  x.evidence   AS Evidence
FROM internal_run r
CROSS JOIN internal_run_finding x ON x.run_id = r.run_id -- runs first: they are what is selected by
JOIN internal_finding_code k ON k.code_id = x.code_id
LEFT JOIN internal_cluster c ON c.cluster_id = r.cluster_id
LEFT JOIN internal_hpc_user u ON u.user_id = r.user_id;

-- One row for each application of a user in one shape: runs that are compared with each other.
--   Application  executable and job name with digits folded, or the user's --app
--   Shape  nodes x tasks x CPUs per task, and the user's --size
--   Runs  number of its runs
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
FROM internal_run_series s
JOIN internal_run r ON r.series_id = s.series_id
JOIN internal_application a ON a.application_id = s.application_id
JOIN internal_cluster c ON c.cluster_id = a.cluster_id
JOIN internal_hpc_user u ON u.user_id = a.user_id
GROUP BY s.series_id;

-- One row for each day (UTC) on which runs of a user in an account and a partition
-- ended. It stays when the runs are removed.
--   Day  as 2026-11-20
--   DayNumber  days since 1970, indexed: select by this
--   DayEpoch  its first second
--   Jobs  number of runs
--   Failed  number of them that ended with an exit code or a signal
--   NodeHours  nodes times elapsed time
--   IdleNodeHours  node hours in runs that used less than half of their CPUs and whose tasks did
--     not wait for the other CPUs
--   CPUHours  CPU time used
--   EnergyKWh  energy of the processors; NULL: not measured in any run
--   EnergyJobs  number of runs in which it was measured
CREATE VIEW days AS
SELECT
  date(d.day * 86400, 'unixepoch') AS Day,
  d.day                AS DayNumber,
  d.day * 86400        AS DayEpoch,
  c.name               AS Cluster,
  u.name               AS User,
  u.uid                AS UID,
  (SELECT text FROM internal_word WHERE word_id = d.account_id) AS Account,
  (SELECT text FROM internal_word WHERE word_id = d.partition_id) AS Partition,
  d.jobs               AS Jobs,
  d.failed             AS Failed,
  d.node_s / 3600      AS NodeHours,
  d.idle_node_s / 3600 AS IdleNodeHours,
  d.cpu_s / 3600       AS CPUHours,
  CASE WHEN d.energy_jobs > 0 THEN d.energy_j / 3.6e6 END AS EnergyKWh,
  d.energy_jobs        AS EnergyJobs
FROM internal_day d
JOIN internal_cluster c ON c.cluster_id = d.cluster_id
JOIN internal_hpc_user u ON u.user_id = d.user_id
WHERE d.jobs > 0;

-- One row for each time that a run was stored in the history, or its record was rejected.
--   At  when
--   Status  added; replaced: as many nodes as before or more; state: fewer nodes, but
--     the job's final state; kept: nothing new; aside: an invalid record that was
--     moved to failed/ of the collection directory
--   NodesReported  number of nodes in the new record, not in the stored run
--   Report  directory of the delivered report
--   Source  the file of the record; with Status aside also the error
CREATE VIEW ingest AS
SELECT
  strftime('%Y-%m-%dT%H:%M:%S', CAST(i.at_s AS INTEGER), 'unixepoch', 'localtime') AS At,
  i.at_s           AS AtEpoch,
  CASE i.status WHEN 0 THEN 'added' WHEN 1 THEN 'replaced' WHEN 2 THEN 'state' WHEN 3 THEN 'kept' ELSE 'aside' END AS Status,
  r.run_id         AS RunID,
  r.display_id     AS JobID,
  c.name           AS Cluster,
  i.nodes_reported AS NodesReported,
  replace((SELECT text FROM internal_word WHERE word_id = r.report_dir_id), char(1), r.display_id) AS Report,
  i.source         AS Source
FROM internal_ingest_log i
LEFT JOIN internal_run r ON r.run_id = i.run_id
LEFT JOIN internal_cluster c ON c.cluster_id = r.cluster_id;

-- One row for each change of speed of a series. Rows are never removed.
--   EventID  its number
--   Metric  what changed: elapsed_s, step_s, ...
--   Kind  step, drift or excursion
--   EffectPct  size of the change; positive: a larger value
--   EffectLoPct  lower end of the interval of EffectPct, level 0.95
--   EffectHiPct  upper end of it
--   FalseAlarmsPer1000  how often chance alone would show such a change, in 1000 runs
--   RunID  first run of the new level; JobID and Start are that run's
--   DetectedJobID  the run with which it was detected
--   ChangedThen  JSON: fields that differ from that run on, best explanation first
--   At  when it was detected
--   Acknowledged  when a user acknowledged it
--   AcknowledgedBy  that user
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
  strftime('%Y-%m-%dT%H:%M:%S', r.start_s, 'unixepoch', 'localtime') AS Start,
  r.start_s     AS StartEpoch,
  d.display_id  AS DetectedJobID,
  e.causes      AS ChangedThen,
  strftime('%Y-%m-%dT%H:%M:%S', CAST(e.at_s AS INTEGER), 'unixepoch', 'localtime') AS At,
  e.at_s        AS AtEpoch,
  strftime('%Y-%m-%dT%H:%M:%S', CAST(k.at_s AS INTEGER), 'unixepoch', 'localtime') AS Acknowledged,
  k.by_name     AS AcknowledgedBy
FROM internal_change_event e
JOIN internal_run_series s ON s.series_id = e.series_id
JOIN internal_application a ON a.application_id = s.application_id
JOIN internal_cluster c ON c.cluster_id = a.cluster_id
JOIN internal_hpc_user u ON u.user_id = a.user_id
JOIN internal_run r ON r.run_id = e.run_id
LEFT JOIN internal_run d ON d.run_id = e.detected_run_id
LEFT JOIN internal_change_ack k ON k.series_id = e.series_id AND k.run_id = e.run_id;

-- One row for each range of a parameter in which one law holds: the newest model
-- of an application.
--   Parameter  what varies: nodes, tasks or size
--   Fixed  values that are equal in all runs of the model
--   Metric  what is modelled: step_s, elapsed_s, ...
--   Position  0 is the lowest range
--   FirstP  smallest value of the parameter in it
--   LastP  largest value
--   Points  number of different values
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
FROM internal_scaling_segment x
JOIN internal_application a ON a.application_id = x.application_id
JOIN internal_cluster c ON c.cluster_id = a.cluster_id
JOIN internal_hpc_user u ON u.user_id = a.user_id;

-- Which code runs consist of. Functions are numbered within an application, 200 at
-- most; a class of code has no library, code without a name of a library no name.
CREATE TABLE IF NOT EXISTS internal_code_part (
  application_id INTEGER NOT NULL REFERENCES internal_application ON DELETE CASCADE,
  number         INTEGER NOT NULL,    -- 33 to 511
  library        TEXT NOT NULL,
  name           TEXT NOT NULL,
  PRIMARY KEY (application_id, number),
  UNIQUE (application_id, library, name)
) WITHOUT ROWID;

-- One row a run; one row for each of its parts would take five times the room. shares has
-- two characters for a part: that of its number, and that of 512 + its share of the
-- CPU time in 1/10,000.
CREATE TABLE IF NOT EXISTS internal_run_code (
  run_id         INTEGER PRIMARY KEY REFERENCES internal_run ON DELETE CASCADE,
  application_id INTEGER NOT NULL REFERENCES internal_application ON DELETE CASCADE,
  step_ns        INTEGER,             -- CPU time of one step in all code
  shares         TEXT NOT NULL
);

-- One row for each function with 1 % or more of the CPU time of a run, at most eight.
-- They are in the history only if the site keeps names.
--   StartEpoch  indexed in the view jobs: select by this
--   Library  base name of the file
--   Function  without suffixes of compilers and kinds of CPUs; NULL: all code
--     of the library that has no name, or whose name is not kept
--   StepS  its CPU time in one cycle of the reference pattern, on one node; NULL: the
--     run has no such pattern
--   SharePct  of the CPU time of the main pattern, or of the run where it has none
CREATE VIEW job_functions AS
SELECT
  r.run_id        AS RunID,
  r.display_id    AS JobID,
  c.name          AS Cluster,
  u.name          AS User,
  r.start_s       AS StartEpoch,
  p.library       AS Library,
  nullif(p.name, '') AS Function,
  x.step_ns / 1e13 * (unicode(substr(x.shares, instr(x.shares, char(p.number)) + 1, 1)) - 512) AS StepS,
  (unicode(substr(x.shares, instr(x.shares, char(p.number)) + 1, 1)) - 512) / 100.0 AS SharePct
FROM internal_run r
CROSS JOIN internal_run_code x ON x.run_id = r.run_id -- runs first: they are what is selected by
JOIN internal_code_part p ON p.application_id = x.application_id AND instr(x.shares, char(p.number)) > 0
JOIN internal_cluster c ON c.cluster_id = r.cluster_id
JOIN internal_hpc_user u ON u.user_id = r.user_id
WHERE p.library <> '';

-- GPUs that were read of a run.
CREATE TABLE IF NOT EXISTS internal_run_gpu (
  run_id     INTEGER NOT NULL REFERENCES internal_run ON DELETE CASCADE,
  node_id    INTEGER NOT NULL REFERENCES internal_node,
  gpu        INTEGER NOT NULL,        -- of the job's on the node, in the scheduler's order
  board      TEXT,
  uuid       TEXT,
  read_s     REAL,
  energy_j   REAL,
  power_w    REAL,
  active_s   REAL,
  slowed_s   REAL,
  heat_s     REAL,                    -- for heat
  sm         INTEGER,                 -- 1/10,000, and the three after it
  occupancy  INTEGER,
  tensor     INTEGER,
  dram       INTEGER,
  mem_peak   REAL,                    -- bytes
  idle       INTEGER,                 -- 1/10,000 of each cycle
  PRIMARY KEY (run_id, node_id, gpu)
) WITHOUT ROWID;

-- One row for each GPU of a run that was read, with the values of its driver. They were
-- checked on an H100 and an H200; those of AMD GPUs follow the documentation only.
--   GPU  number among the job's GPUs on the node, in the scheduler's order
--   Board  name of the model; NULL: not known
--   UUID  the vendor's identifier of the board; NULL: not known
--   StartEpoch  indexed in the view jobs: select by this
--   ReadS  time for which it was read
--   EnergyJ  energy that it used in that time
--   MeanW  mean power
--   ActiveS  time in which a kernel ran, whatever part of the GPU it used
--   SlowedS  time in which a power cap or heat slowed it
--   HeatS  time in which heat slowed it
--   SMShare  mean share of the multiprocessors that had work; NULL: the board does not count it
--   Occupancy  mean share of the warp slots that were occupied
--   TensorShare  share of the time in which tensor cores worked
--   DRAMShare  share of the time in which the memory worked
--   MemoryPeak  most bytes in use
--   IdleShare  the part of each cycle of the main pattern in which no kernel ran, 0 to 1
CREATE VIEW job_gpus AS
SELECT
  r.run_id     AS RunID,
  r.display_id AS JobID,
  c.name       AS Cluster,
  u.name       AS User,
  n.name       AS NodeName,
  x.gpu        AS GPU,
  x.board      AS Board,
  x.uuid       AS UUID,
  r.start_s    AS StartEpoch,
  x.read_s     AS ReadS,
  x.energy_j   AS EnergyJ,
  x.power_w    AS MeanW,
  x.active_s   AS ActiveS,
  x.slowed_s   AS SlowedS,
  x.heat_s     AS HeatS,
  x.sm / 1e4   AS SMShare,
  x.occupancy / 1e4 AS Occupancy,
  x.tensor / 1e4 AS TensorShare,
  x.dram / 1e4 AS DRAMShare,
  x.mem_peak   AS MemoryPeak,
  x.idle / 1e4 AS IdleShare
FROM internal_run r
CROSS JOIN internal_run_gpu x ON x.run_id = r.run_id -- runs first: they are what is selected by
JOIN internal_node n ON n.node_id = x.node_id
JOIN internal_cluster c ON c.cluster_id = r.cluster_id
JOIN internal_hpc_user u ON u.user_id = r.user_id;

-- One row for each class of code that a run had: together they are all of its CPU time.
--   StartEpoch  indexed in the view jobs: select by this
--   Class  own, math, communication, io, openmp, language, c_runtime, gpu_driver,
--     kernel or unnamed
--   StepS  CPU time of it in one cycle of the reference pattern, on one node
--   SharePct  of the CPU time of the main pattern, or of the run where it has none
CREATE VIEW job_classes AS
SELECT
  r.run_id        AS RunID,
  r.display_id    AS JobID,
  c.name          AS Cluster,
  u.name          AS User,
  r.start_s       AS StartEpoch,
  p.name          AS Class,
  x.step_ns / 1e13 * (unicode(substr(x.shares, instr(x.shares, char(p.number)) + 1, 1)) - 512) AS StepS,
  (unicode(substr(x.shares, instr(x.shares, char(p.number)) + 1, 1)) - 512) / 100.0 AS SharePct
FROM internal_run r
CROSS JOIN internal_run_code x ON x.run_id = r.run_id -- runs first: they are what is selected by
JOIN internal_code_part p ON p.application_id = x.application_id AND instr(x.shares, char(p.number)) > 0
JOIN internal_cluster c ON c.cluster_id = r.cluster_id
JOIN internal_hpc_user u ON u.user_id = r.user_id
WHERE p.library = '';
