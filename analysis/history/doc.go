// Package history remembers runs: one SQLite file with a row a run. Put stores a Summary once, however often it
// is called. Queries return the runs of a series as rows, newest first, or one whole Summary. It stands between
// the analyses of one job and those across jobs, and is the only package here that touches a file, and the only
// one that imports the driver.
//
// It refuses a file that is not its own, one that a newer jobgait wrote, one from
// before the first release and a damaged one, and never overwrites any of them. It
// refuses to call two runs one because they have a job id in common, to forget what
// only the scheduler knew of a run, and to put a number where none was measured:
// unknown is NULL. Texts that users chose are stored as data, without control
// characters.
//
// schema.sql is the whole schema. Its tables may change with every version; its views are kept for
// administrators, with sacct's names for sacct's fields, and any sqlite3 from 3.26 on reads them, also while a
// job is being put. queries/ has ready-made queries, one in each file; jobgait-history(5) is made of the
// comments in schema.sql and queries/. A site's page (Site) shows results of the same queries.
//
// One more column of the view jobs touches three files:
//
//   - schema.sql: the table run, the view, and the comment above it;
//   - row.go: its value;
//   - testdata/views.txt: go test -update writes it.
//
// Existing histories get the column when they are next opened for writing (missingparts.go).
//
// On one core of two that were free a small run is put in 0.8 ms, one on 64 nodes in
// 2.8 ms; the last 200 runs of a series come in 2.4 ms, a job by its id in 0.1 ms
// (BenchmarkHistory, 20,000 runs).
package history
