-- Jobs of the last week that others kept from running, those that lost most core hours
-- first: what they waited for, and what others had meanwhile.
SELECT JobID, User, AllocatedCPUs, round(BusyCPUs, 1) AS Busy, round(WaitingCPUs, 1) AS Waiting, round(OthersCPUs, 1) AS Others
FROM job_resources
WHERE StartEpoch > strftime('%s', 'now', '-7 days') + 0
  AND min(WaitingCPUs, AllocatedCPUs - BusyCPUs) > 0.05 * AllocatedCPUs AND OthersCPUs >= 0.5 * min(WaitingCPUs, AllocatedCPUs - BusyCPUs)
ORDER BY min(WaitingCPUs, AllocatedCPUs - BusyCPUs) * UsedS DESC LIMIT 20;
