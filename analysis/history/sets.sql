-- From version 5 to 6: what was recorded of a run is a set that others have too, its main
-- pattern is in its row, the log of what came is one tree, codes of notes are words.
DROP TRIGGER IF EXISTS run_added;
DROP TRIGGER IF EXISTS run_changes;
DROP TRIGGER IF EXISTS run_changed;
DROP INDEX IF EXISTS run_display;
CREATE TABLE IF NOT EXISTS field_set (
  set_id   INTEGER PRIMARY KEY,
  fields   TEXT NOT NULL UNIQUE,
  build_id INTEGER
);
CREATE TABLE IF NOT EXISTS set_field (
  set_id   INTEGER NOT NULL REFERENCES field_set,
  field_id INTEGER NOT NULL REFERENCES field,
  PRIMARY KEY (set_id, field_id)
) WITHOUT ROWID;
CREATE TABLE fields_of_5 (
  run_id INTEGER PRIMARY KEY,
  fields TEXT NOT NULL
);
INSERT INTO fields_of_5 SELECT run_id, group_concat(field_id) FROM (SELECT run_id, field_id FROM run_value ORDER BY 1, 2) GROUP BY run_id;
INSERT INTO field_set (fields) SELECT DISTINCT fields FROM fields_of_5;
INSERT INTO set_field SELECT s.set_id, v.field_id
FROM (SELECT fields, min(run_id) AS run_id FROM fields_of_5 GROUP BY fields) x
CROSS JOIN field_set s ON s.fields = x.fields CROSS JOIN run_value v ON v.run_id = x.run_id ORDER BY 1, 2;
UPDATE field_set SET build_id = (SELECT f.field_id FROM set_field x JOIN field f ON f.field_id = x.field_id
  WHERE x.set_id = field_set.set_id AND f.name = 'build_id');
-- Else SQLite looks at views and triggers, whose tables are not there now.
PRAGMA legacy_alter_table = ON;
ALTER TABLE run_pattern RENAME TO pattern_of_5;
ALTER TABLE run_note RENAME TO note_of_5;
ALTER TABLE ingest_log RENAME TO log_of_5;
PRAGMA legacy_alter_table = OFF;
ALTER TABLE run ADD COLUMN set_id INTEGER;
ALTER TABLE run ADD COLUMN pattern TEXT;
ALTER TABLE run ADD COLUMN column_id INTEGER;
ALTER TABLE run ADD COLUMN period_us INTEGER;
ALTER TABLE run ADD COLUMN period_below_us INTEGER;
ALTER TABLE run ADD COLUMN period_above_us INTEGER;
ALTER TABLE run ADD COLUMN period_cv INTEGER;
ALTER TABLE run ADD COLUMN confidence INTEGER;
ALTER TABLE run ADD COLUMN coverage INTEGER;
ALTER TABLE run ADD COLUMN instances INTEGER;
UPDATE run SET
  cpu_s = CASE WHEN cpu_s = busy_cpus * elapsed_s AND nodes_reported = nnodes THEN NULL ELSE cpu_s END,
  set_id = (SELECT s.set_id FROM fields_of_5 x JOIN field_set s ON s.fields = x.fields WHERE x.run_id = run.run_id),
  (pattern, column_id, period_us, period_below_us, period_above_us, period_cv, confidence, coverage, instances) = (
    SELECT pattern, column_id, period_us, period_us - period_lo_us, period_hi_us - period_us, period_cv, confidence, coverage, instances
    FROM pattern_of_5 p WHERE p.run_id = run.run_id AND p.position = 0);
DROP TABLE fields_of_5;
DROP TABLE run_value;
CREATE TABLE run_pattern (
  run_id          INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  position        INTEGER NOT NULL,
  pattern         TEXT NOT NULL,
  column_id       INTEGER,
  period_us       INTEGER NOT NULL,
  period_below_us INTEGER,
  period_above_us INTEGER,
  period_cv       INTEGER,
  confidence      INTEGER,
  coverage        INTEGER,
  instances       INTEGER,
  PRIMARY KEY (run_id, position)
) WITHOUT ROWID;
INSERT INTO run_pattern
SELECT run_id, position, pattern, column_id, period_us, period_us - period_lo_us, period_hi_us - period_us, period_cv, confidence, coverage, instances
FROM pattern_of_5 WHERE position > 0 ORDER BY 1, 2;
DROP TABLE pattern_of_5;
CREATE TABLE run_note (
  run_id    INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  position  INTEGER NOT NULL,
  code_id   INTEGER NOT NULL,
  text      TEXT NOT NULL,
  node_name TEXT,
  PRIMARY KEY (run_id, position)
) WITHOUT ROWID;
INSERT OR IGNORE INTO word (text) SELECT DISTINCT code FROM note_of_5;
INSERT INTO run_note SELECT run_id, position, (SELECT word_id FROM word w WHERE w.text = code), text, node_name FROM note_of_5 ORDER BY 1, 2;
DROP TABLE note_of_5;
CREATE TABLE ingest_log (
  at_s           REAL NOT NULL,
  run_id         INTEGER NOT NULL,
  n              INTEGER NOT NULL,
  status         INTEGER NOT NULL,
  nodes_reported INTEGER NOT NULL,
  source         TEXT,
  PRIMARY KEY (at_s, run_id, n)
) WITHOUT ROWID;
INSERT INTO ingest_log SELECT at_s, coalesce(run_id, 0), row_number() OVER (PARTITION BY at_s, coalesce(run_id, 0) ORDER BY ingest_id) - 1,
  CASE status WHEN 'added' THEN 0 WHEN 'replaced' THEN 1 WHEN 'state' THEN 2 WHEN 'kept' THEN 3 ELSE 4 END, nodes_reported, source
FROM log_of_5 ORDER BY 1, 2, 3;
DROP TABLE log_of_5
