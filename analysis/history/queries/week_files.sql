-- Users who read and wrote most bytes of storage last week, and how long their jobs waited
-- for it.
SELECT User, round(sum(ReadBytes) / 1e9, 1) AS ReadGB, round(sum(WrittenBytes) / 1e9, 1) AS WrittenGB, round(sum(IOWaitS)) AS WaitedS
FROM job_resources
WHERE StartEpoch > strftime('%s', 'now', '-7 days') + 0
GROUP BY User ORDER BY coalesce(sum(ReadBytes), 0) + coalesce(sum(WrittenBytes), 0) DESC LIMIT 20;
