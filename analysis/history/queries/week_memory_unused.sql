-- Memory that was requested last week and not used, by user, in GB hours.
SELECT User, count(*) AS Jobs, round(sum((RequestedMemBytes - PeakMemBytes) / 1e9 * UsedS / 3600)) AS UnusedGBHours,
  round(100 * sum(PeakMemBytes) / sum(RequestedMemBytes)) AS UsedPct
FROM job_resources
WHERE StartEpoch > strftime('%s', 'now', '-7 days') + 0 AND PeakMemBytes < RequestedMemBytes
GROUP BY User ORDER BY UnusedGBHours DESC LIMIT 20;
