-- What cycles of an application cost, by week: CPU time is what the code does, waiting
-- what others on its nodes did to it.
SELECT strftime('%Y-%W', StartEpoch, 'unixepoch') AS Week, count(*) AS Jobs, round(avg(StepS), 3) AS StepS,
  round(avg(StepCPUS), 3) AS StepCPUS, round(avg(StepWaitS), 3) AS StepWaitS
FROM (
  SELECT StartEpoch, StepS, StepCPUS, StepWaitS FROM jobs
  WHERE StartEpoch > strftime('%s', 'now', '-365 days') + 0 AND Application = 'lmp melt'
    AND Shape <> '' -- every shape: this lets SQLite begin with the application
    AND StepCPUS IS NOT NULL
  LIMIT -1 -- all of them: nobody asks for a pattern here, and only so SQLite leaves its table alone
)
GROUP BY Week ORDER BY Week;
