-- CPU time of one cycle of an application by week, and the time in one cycle that its tasks
-- waited for a CPU because others used it.
SELECT strftime('%Y-%W', StartEpoch, 'unixepoch') AS Week, count(*) AS Jobs, round(avg(StepS), 3) AS StepS,
  round(avg(StepCPUS), 3) AS StepCPUS, round(avg(StepWaitS), 3) AS StepWaitS
FROM (
  SELECT StartEpoch, StepS, StepCPUS, StepWaitS FROM jobs
  WHERE StartEpoch > strftime('%s', 'now', '-365 days') + 0 AND Application = 'lmp melt'
    AND Shape <> '' -- every shape: this lets SQLite begin with the application
    AND StepCPUS IS NOT NULL
  LIMIT -1 -- all rows: with a LIMIT, SQLite does not read the table of patterns, which is not used here
)
GROUP BY Week ORDER BY Week;
