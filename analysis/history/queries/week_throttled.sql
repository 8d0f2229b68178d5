-- Jobs of the last week that a CPU limit of a cgroup, or the host of a virtual machine,
-- held back.
SELECT JobID, User, AllocatedCPUs, round(ThrottledCPUs, 1) AS Throttled, round(StolenCPUs, 1) AS Stolen
FROM job_resources
WHERE StartEpoch > strftime('%s', 'now', '-7 days') + 0
  AND max(coalesce(ThrottledCPUs, 0), coalesce(StolenCPUs, 0)) > 0.05 * AllocatedCPUs
ORDER BY coalesce(ThrottledCPUs, 0) + coalesce(StolenCPUs, 0) DESC LIMIT 20;
