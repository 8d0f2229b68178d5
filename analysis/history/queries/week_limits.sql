-- Time limits of the last week compared with the time used, by user: limits that are far
-- too long keep a scheduler from filling gaps.
SELECT User, count(*) AS Jobs, round(100 * sum(UsedS) / sum(LimitS)) AS UsedPct, round(max(100 * UsedS / LimitS)) AS MostPct
FROM job_resources
WHERE StartEpoch > strftime('%s', 'now', '-7 days') + 0 AND LimitS > 0
GROUP BY User ORDER BY UsedPct LIMIT 20;
