-- Who moved most bytes from and to storage last week, and for how long jobs stood still
-- for it.
SELECT User, round(sum(ReadBytes) / 1e9, 1) AS ReadGB, round(sum(WrittenBytes) / 1e9, 1) AS WrittenGB, round(sum(IOWaitS)) AS WaitedS
FROM job_resources
WHERE StartEpoch > strftime('%s', 'now', '-7 days') + 0
GROUP BY User ORDER BY coalesce(sum(ReadBytes), 0) + coalesce(sum(WrittenBytes), 0) DESC LIMIT 20;
