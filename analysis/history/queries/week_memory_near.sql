-- Jobs of the last week that came near the memory they had, or were killed for want of
-- it: those to be told before the next one fails.
SELECT JobID, User, round(PeakMemBytes / 1e9, 1) AS PeakGB, round(RequestedMemBytes / 1e9, 1) AS HadGB, OOMKills
FROM job_resources
WHERE StartEpoch > strftime('%s', 'now', '-7 days') + 0 AND (PeakMemBytes > 0.9 * RequestedMemBytes OR OOMKills > 0)
ORDER BY PeakMemBytes / RequestedMemBytes DESC LIMIT 20;
