-- Jobs of this week that spent a fifth or more of their CPU time on communication, and
-- their users.
SELECT User, JobID, SharePct
FROM job_classes WHERE Class = 'communication' AND SharePct >= 20 AND StartEpoch > strftime('%s', 'now', '-7 days') + 0
ORDER BY SharePct DESC LIMIT 20;
