-- From version 1 to 2: texts that many runs share become words, numbers of nodes whole ones.
CREATE TABLE word (
  word_id INTEGER PRIMARY KEY,
  text    TEXT NOT NULL UNIQUE
);
CREATE TABLE field (
  field_id INTEGER PRIMARY KEY,
  name     TEXT NOT NULL,
  value    TEXT NOT NULL,
  UNIQUE (name, value)
);
CREATE TABLE run_value (
  run_id   INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  field_id INTEGER NOT NULL REFERENCES field,
  PRIMARY KEY (run_id, field_id)
) WITHOUT ROWID;
INSERT INTO field (name, value) SELECT DISTINCT name, value FROM run_field;
INSERT INTO run_value (run_id, field_id)
SELECT x.run_id, f.field_id FROM run_field x JOIN field f ON f.name = x.name AND f.value = x.value ORDER BY 1, 2;
DROP TABLE run_field;
INSERT OR IGNORE INTO word (text) SELECT DISTINCT account FROM run WHERE account IS NOT NULL;
INSERT OR IGNORE INTO word (text) SELECT DISTINCT partition_name FROM run WHERE partition_name IS NOT NULL;
INSERT OR IGNORE INTO word (text) SELECT DISTINCT qos FROM run WHERE qos IS NOT NULL;
INSERT OR IGNORE INTO word (text) SELECT DISTINCT executable FROM run WHERE executable IS NOT NULL;
INSERT OR IGNORE INTO word (text) SELECT DISTINCT state FROM run WHERE state IS NOT NULL;
INSERT OR IGNORE INTO word (text) SELECT DISTINCT counters FROM run WHERE counters IS NOT NULL;
INSERT OR IGNORE INTO word (text) SELECT DISTINCT replace(work_dir, display_id, char(1)) FROM run WHERE work_dir IS NOT NULL;
INSERT OR IGNORE INTO word (text) SELECT DISTINCT replace(stdout, display_id, char(1)) FROM run WHERE stdout IS NOT NULL;
INSERT OR IGNORE INTO word (text) SELECT DISTINCT replace(report_dir, display_id, char(1)) FROM run WHERE report_dir IS NOT NULL;
ALTER TABLE run ADD COLUMN account_id INTEGER;
ALTER TABLE run ADD COLUMN partition_id INTEGER;
ALTER TABLE run ADD COLUMN qos_id INTEGER;
ALTER TABLE run ADD COLUMN executable_id INTEGER;
ALTER TABLE run ADD COLUMN state_id INTEGER;
ALTER TABLE run ADD COLUMN counters_id INTEGER;
ALTER TABLE run ADD COLUMN work_dir_id INTEGER;
ALTER TABLE run ADD COLUMN stdout_id INTEGER;
ALTER TABLE run ADD COLUMN report_dir_id INTEGER;
UPDATE run SET
  account_id = (SELECT word_id FROM word WHERE text = account),
  partition_id = (SELECT word_id FROM word WHERE text = partition_name),
  qos_id = (SELECT word_id FROM word WHERE text = qos),
  executable_id = (SELECT word_id FROM word WHERE text = executable),
  state_id = (SELECT word_id FROM word WHERE text = state),
  counters_id = (SELECT word_id FROM word WHERE text = counters),
  work_dir_id = (SELECT word_id FROM word WHERE text = replace(work_dir, display_id, char(1))),
  stdout_id = (SELECT word_id FROM word WHERE text = replace(stdout, display_id, char(1))),
  report_dir_id = (SELECT word_id FROM word WHERE text = replace(report_dir, display_id, char(1)));
ALTER TABLE run DROP COLUMN account;
ALTER TABLE run DROP COLUMN partition_name;
ALTER TABLE run DROP COLUMN qos;
ALTER TABLE run DROP COLUMN executable;
ALTER TABLE run DROP COLUMN state;
ALTER TABLE run DROP COLUMN counters;
ALTER TABLE run DROP COLUMN work_dir;
ALTER TABLE run DROP COLUMN stdout;
ALTER TABLE run DROP COLUMN report_dir;
ALTER TABLE ingest_log DROP COLUMN report_dir;
ALTER TABLE run_node RENAME COLUMN busy_cpus TO busy_mcpu;
ALTER TABLE run_node RENAME COLUMN period_s TO period_us;
UPDATE run_node SET busy_mcpu = round(1e3 * busy_mcpu), period_us = round(1e6 * period_us), coverage = round(1e4 * coverage)
