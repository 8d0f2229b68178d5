-- Who spent a fifth of the CPU time of a job or more on communication, this week.
SELECT User, JobID, SharePct
FROM job_classes WHERE Class = 'communication' AND SharePct >= 20 AND StartEpoch > strftime('%s', 'now', '-7 days') + 0
ORDER BY SharePct DESC LIMIT 20;
