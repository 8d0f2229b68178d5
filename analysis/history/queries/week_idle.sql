-- Jobs of the last week in which more than half of the CPUs were idle, largest waste
-- first. CPUs for which tasks of the job waited while others used them are not idle.
SELECT j.JobID, j.User, j.NCPUS, round(j.BusyCPUs, 1) AS Busy, round(r.WaitingCPUs, 1) AS Waiting, j.Elapsed
FROM jobs j JOIN job_resources r USING (RunID)
WHERE j.EndEpoch > strftime('%s', 'now', '-7 days') + 0 AND j.BusyCPUs + coalesce(r.WaitingCPUs, 0) < 0.5 * j.NCPUS
ORDER BY (j.NCPUS - j.BusyCPUs - coalesce(r.WaitingCPUs, 0)) * j.ElapsedS DESC LIMIT 20;
