-- Jobs of the last week that nearly used up their memory, or were ended for lack of it:
-- their next run may fail.
SELECT f.JobID, f.User, f.Code, round(r.PeakMemBytes / 1e9, 1) AS PeakGB, round(r.RequestedMemBytes / 1e9, 1) AS HadGB, r.OOMKills
FROM job_findings f JOIN job_resources r USING (RunID)
WHERE f.EndEpoch > strftime('%s', 'now', '-7 days') + 0 AND f.Code IN ('memory_near_limit', 'out_of_memory')
ORDER BY r.PeakMemBytes / r.RequestedMemBytes DESC LIMIT 20;
