-- Jobs of the last week that waited for CPUs which others used, most core hours lost
-- first: CPUs waited for, and CPUs used by others meanwhile.
SELECT f.JobID, f.User, round(f.CostCoreS / 3600, 1) AS LostCoreHours, r.AllocatedCPUs, round(r.BusyCPUs, 1) AS Busy,
  round(r.WaitingCPUs, 1) AS Waiting, round(r.OthersCPUs, 1) AS Others
FROM job_findings f JOIN job_resources r USING (RunID)
WHERE f.EndEpoch > strftime('%s', 'now', '-7 days') + 0 AND f.Code = 'crowded'
ORDER BY f.CostCoreS DESC LIMIT 20;
