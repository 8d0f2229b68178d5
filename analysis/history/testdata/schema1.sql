-- The tables of version 1 that version 2 has not as they were, and those they need.
CREATE TABLE IF NOT EXISTS cluster (
  cluster_id INTEGER PRIMARY KEY,
  name       TEXT NOT NULL UNIQUE
);
CREATE TABLE IF NOT EXISTS hpc_user (
  user_id INTEGER PRIMARY KEY,
  name    TEXT NOT NULL,
  uid     INTEGER NOT NULL,
  UNIQUE (name, uid)
);
CREATE TABLE IF NOT EXISTS node (
  node_id    INTEGER PRIMARY KEY,
  cluster_id INTEGER NOT NULL REFERENCES cluster,
  name       TEXT NOT NULL,
  UNIQUE (cluster_id, name)
);
CREATE TABLE IF NOT EXISTS application (
  application_id INTEGER PRIMARY KEY,
  cluster_id     INTEGER NOT NULL REFERENCES cluster,
  user_id        INTEGER NOT NULL REFERENCES hpc_user,
  name           TEXT NOT NULL,
  reference      TEXT,
  UNIQUE (user_id, name, cluster_id)
);
CREATE TABLE IF NOT EXISTS run_series (
  series_id      INTEGER PRIMARY KEY,
  application_id INTEGER NOT NULL REFERENCES application,
  shape          TEXT NOT NULL,
  UNIQUE (application_id, shape)
);
CREATE TABLE IF NOT EXISTS run (
  run_id          INTEGER PRIMARY KEY,
  cluster_id      INTEGER NOT NULL REFERENCES cluster,
  job_id          INTEGER NOT NULL CHECK (typeof(job_id) = 'integer' AND job_id > 0),
  restart         INTEGER NOT NULL,
  sluid           TEXT NOT NULL,
  sub             INTEGER NOT NULL,
  reuse           INTEGER NOT NULL,
  display_id      TEXT NOT NULL,
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
  counters        TEXT NOT NULL,
  report_dir      TEXT,
  step_s          REAL,
  cpu_s           REAL,
  startup_s       REAL,
  checkpoint_s    REAL,
  cpu_waiting     REAL,
  cpu_throttled   REAL,
  cpu_stolen      REAL,
  mem_peak        REAL,
  mem_requested   REAL,
  oom_kills       REAL,
  read_bytes      REAL,
  written_bytes   REAL,
  io_wait_s       REAL,
  net_rx_bytes    REAL,
  net_tx_bytes    REAL,
  limit_s         REAL,
  energy_j        REAL,
  UNIQUE (job_id, cluster_id, restart, sluid, sub, reuse)
);
CREATE TABLE IF NOT EXISTS run_node (
  run_id    INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  node_id   INTEGER NOT NULL REFERENCES node,
  position  INTEGER NOT NULL,
  reported  INTEGER NOT NULL CHECK (reported IN (0, 1)),
  busy_cpus REAL,
  period_s  REAL,
  coverage  REAL,
  samples   INTEGER,
  missing   INTEGER,
  sealed    INTEGER,
  PRIMARY KEY (run_id, node_id)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS run_pattern (
  run_id      INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  position    INTEGER NOT NULL,
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
CREATE TABLE IF NOT EXISTS ingest_log (
  ingest_id      INTEGER PRIMARY KEY,
  at_s           REAL NOT NULL,
  run_id         INTEGER REFERENCES run ON DELETE SET NULL,
  status         TEXT NOT NULL,
  nodes_reported INTEGER NOT NULL,
  report_dir     TEXT,
  source         TEXT
);
CREATE TABLE IF NOT EXISTS run_field (
  run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  name   TEXT NOT NULL,
  value  TEXT NOT NULL,
  PRIMARY KEY (run_id, name)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS run_note (
  run_id    INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  position  INTEGER NOT NULL,
  code      TEXT NOT NULL,
  text      TEXT NOT NULL,
  node_name TEXT,
  PRIMARY KEY (run_id, position)
) WITHOUT ROWID;
