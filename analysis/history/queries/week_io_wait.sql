-- Jobs of the last week that waited longest for storage: seconds in which all of their tasks
-- waited, and the share of the run.
SELECT j.JobID, j.User, round(r.IOWaitS, 1) AS IOWaitS, round(100 * r.IOWaitS / nullif(j.ElapsedS, 0), 1) AS Pct, j.Elapsed
FROM jobs j JOIN job_resources r USING (RunID)
WHERE j.EndEpoch > strftime('%s', 'now', '-7 days') + 0 AND r.IOWaitS > 0
ORDER BY r.IOWaitS DESC LIMIT 20;
