-- Jobs of the last week that were slowed by a CPU limit of a cgroup, or by the host of a
-- virtual machine.
SELECT f.JobID, f.User, f.Code, round(f.CostCoreS / 3600, 1) AS LostCoreHours, r.AllocatedCPUs,
  round(r.ThrottledCPUs, 1) AS Throttled, round(r.StolenCPUs, 1) AS Stolen
FROM job_findings f JOIN job_resources r USING (RunID)
WHERE f.EndEpoch > strftime('%s', 'now', '-7 days') + 0 AND f.Code IN ('throttled', 'stolen')
ORDER BY f.CostCoreS DESC LIMIT 20;
