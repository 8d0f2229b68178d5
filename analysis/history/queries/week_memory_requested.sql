-- Memory that jobs of the last week requested and used, by user, in GB of 10^9 bytes: sums
-- over jobs, and the share that was used.
SELECT j.User, count(*) AS Jobs, round(sum(r.RequestedMemBytes) / 1e9, 1) AS RequestedGB,
  round(sum(r.PeakMemBytes) / 1e9, 1) AS PeakGB, round(100.0 * sum(r.PeakMemBytes) / sum(r.RequestedMemBytes), 1) AS NeededPct
FROM jobs j JOIN job_resources r USING (RunID)
WHERE j.EndEpoch > strftime('%s', 'now', '-7 days') + 0 AND r.RequestedMemBytes > 0 AND r.PeakMemBytes IS NOT NULL
GROUP BY j.User ORDER BY sum(r.RequestedMemBytes) - sum(r.PeakMemBytes) DESC LIMIT 20;
