-- From version 4 to 5: what a run consists of is one row, numbers of patterns whole ones.
-- A history of version 1 may have no code.
CREATE TABLE IF NOT EXISTS code_part (
  part_id        INTEGER PRIMARY KEY,
  application_id INTEGER NOT NULL,
  library        TEXT NOT NULL,
  name           TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS run_code (
  run_id  INTEGER NOT NULL,
  part_id INTEGER NOT NULL,
  share   INTEGER NOT NULL,
  step_ns INTEGER,
  PRIMARY KEY (run_id, part_id)
) WITHOUT ROWID;
-- Else SQLite looks at views and triggers, whose tables are not there now.
PRAGMA legacy_alter_table = ON;
ALTER TABLE run_code RENAME TO code_of_4;
ALTER TABLE code_part RENAME TO part_of_4;
ALTER TABLE run_pattern RENAME TO pattern_of_4;
PRAGMA legacy_alter_table = OFF;
CREATE TABLE code_part (
  application_id INTEGER NOT NULL REFERENCES application ON DELETE CASCADE,
  number         INTEGER NOT NULL,
  library        TEXT NOT NULL,
  name           TEXT NOT NULL,
  PRIMARY KEY (application_id, number),
  UNIQUE (application_id, library, name)
) WITHOUT ROWID;
CREATE TABLE run_code (
  run_id         INTEGER PRIMARY KEY REFERENCES run ON DELETE CASCADE,
  application_id INTEGER NOT NULL REFERENCES application ON DELETE CASCADE,
  step_ns        INTEGER,
  shares         TEXT NOT NULL
);
CREATE TABLE run_pattern (
  run_id       INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  position     INTEGER NOT NULL,
  pattern      TEXT NOT NULL,
  column_id    INTEGER,
  period_us    INTEGER NOT NULL,
  period_lo_us INTEGER,
  period_hi_us INTEGER,
  period_cv    INTEGER,
  confidence   INTEGER,
  coverage     INTEGER,
  instances    INTEGER,
  PRIMARY KEY (run_id, position)
) WITHOUT ROWID;
-- More parts than have a number would be classes that somebody made up.
CREATE TABLE numbered (
  part_id        INTEGER PRIMARY KEY,
  application_id INTEGER NOT NULL,
  number         INTEGER NOT NULL
);
INSERT INTO numbered SELECT part_id, application_id, 32 + row_number() OVER (PARTITION BY application_id ORDER BY part_id) FROM part_of_4;
DELETE FROM numbered WHERE number > 511;
INSERT INTO code_part SELECT n.application_id, n.number, p.library, p.name
FROM numbered n JOIN part_of_4 p ON p.part_id = n.part_id ORDER BY 1, 2;
-- step_ns is the one of the row with the largest share.
INSERT INTO run_code SELECT run_id, application_id, CAST(round(step_ns * 1e4 / most) AS INTEGER), shares FROM (
  SELECT x.run_id, n.application_id, x.step_ns, max(x.share) AS most,
    group_concat(char(n.number, 512 + min(x.share, 10000)), '') AS shares
  FROM code_of_4 x CROSS JOIN numbered n ON n.part_id = x.part_id GROUP BY x.run_id);
INSERT OR IGNORE INTO word (text) SELECT DISTINCT column_name FROM pattern_of_4 WHERE column_name IS NOT NULL;
INSERT INTO run_pattern SELECT run_id, position, pattern, (SELECT word_id FROM word WHERE text = column_name),
  CAST(round(1e6 * period_s) AS INTEGER), CAST(round(1e6 * period_lo_s) AS INTEGER), CAST(round(1e6 * period_hi_s) AS INTEGER),
  CAST(round(1e4 * period_cv) AS INTEGER), CAST(round(1e4 * confidence) AS INTEGER), CAST(round(1e4 * coverage) AS INTEGER), instances
FROM pattern_of_4 ORDER BY run_id, position;
DROP TABLE code_of_4;
DROP TABLE part_of_4;
DROP TABLE pattern_of_4;
DROP TABLE numbered
