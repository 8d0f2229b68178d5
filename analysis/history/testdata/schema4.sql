-- The tables of schema 4 that version 5 has otherwise.
CREATE TABLE IF NOT EXISTS run_pattern (
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
CREATE TABLE IF NOT EXISTS code_part (
  part_id        INTEGER PRIMARY KEY,
  application_id INTEGER NOT NULL REFERENCES application ON DELETE CASCADE,
  library        TEXT NOT NULL,
  name           TEXT NOT NULL,
  UNIQUE (application_id, library, name)
);
CREATE TABLE IF NOT EXISTS run_code (
  run_id  INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  part_id INTEGER NOT NULL REFERENCES code_part,
  share   INTEGER NOT NULL,           -- of the CPU time, in 1/10,000
  step_ns INTEGER,                    -- CPU time of one step
  PRIMARY KEY (run_id, part_id)
) WITHOUT ROWID;
