-- Builds of an application in the last year, and the duration of one cycle with each.
SELECT BuildID, count(*) AS Jobs, round(avg(StepS), 3) AS StepS, round(avg(StepCPUS), 3) AS StepCPUS, min(Start) AS Since
FROM (
  SELECT BuildID, StepS, StepCPUS, Start, StartEpoch FROM jobs
  WHERE StartEpoch > strftime('%s', 'now', '-365 days') + 0 AND Application = 'lmp melt'
    AND Shape <> '' -- every shape: this lets SQLite begin with the application if there are statistics
    AND StepS IS NOT NULL
  LIMIT -1 -- all of them: each run's build is looked for once, not for each place that names it
)
WHERE BuildID IS NOT NULL GROUP BY BuildID ORDER BY min(StartEpoch);
