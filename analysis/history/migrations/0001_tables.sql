-- Version 1: the tables. They may change from version to version; the views are
-- what queries should use. Nothing in a schema of ours is newer than SQLite
-- 3.26: one STRICT table or one "->" in a view, and the sqlite3 of an older
-- distribution calls the whole file malformed.
-- Columns that end in _s are seconds (times: UTC epoch), NULL is unknown.

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

CREATE TABLE node (
  node_id    INTEGER PRIMARY KEY,
  cluster_id INTEGER NOT NULL REFERENCES cluster,
  name       TEXT NOT NULL,
  UNIQUE (cluster_id, name)
);

CREATE TABLE application (
  application_id INTEGER PRIMARY KEY,
  cluster_id     INTEGER NOT NULL REFERENCES cluster,
  user_id        INTEGER NOT NULL REFERENCES hpc_user,
  name           TEXT NOT NULL,
  UNIQUE (user_id, name, cluster_id)
);

CREATE TABLE run_series (
  series_id      INTEGER PRIMARY KEY,
  application_id INTEGER NOT NULL REFERENCES application,
  shape          TEXT NOT NULL,
  UNIQUE (application_id, shape)
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
  report_dir      TEXT,
  UNIQUE (job_id, cluster_id, restart, sluid, sub, reuse)
);

CREATE INDEX run_display ON run (display_id, start_s);
CREATE INDEX run_series_start ON run (series_id, start_s);
CREATE INDEX run_user_start ON run (user_id, start_s);
CREATE INDEX run_start ON run (start_s);
CREATE INDEX run_end ON run (end_s);
CREATE INDEX run_array ON run (array_job_id, array_task_id) WHERE array_job_id IS NOT NULL;

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

CREATE INDEX run_node_node ON run_node (node_id, run_id);

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

CREATE TABLE run_note (
  run_id    INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  position  INTEGER NOT NULL,
  code      TEXT NOT NULL,
  text      TEXT NOT NULL,
  node_name TEXT,
  PRIMARY KEY (run_id, position)
) WITHOUT ROWID;

-- The whole summary, to draw a report again. A table of its own, so that no
-- query through the views reads past it.
CREATE TABLE run_summary (
  run_id INTEGER PRIMARY KEY REFERENCES run ON DELETE CASCADE,
  schema TEXT NOT NULL,
  body   BLOB NOT NULL                -- JSON, compressed with zlib
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

CREATE INDEX ingest_log_at ON ingest_log (at_s);
CREATE INDEX ingest_log_run ON ingest_log (run_id);
