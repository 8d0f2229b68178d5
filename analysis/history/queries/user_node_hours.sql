-- Node hours of the last 30 days by user, and how many of them were in runs whose
-- CPUs were mostly idle.
SELECT User, sum(Jobs) AS Jobs, round(sum(NodeHours), 1) AS NodeHours, round(sum(IdleNodeHours), 1) AS IdleNodeHours
FROM days WHERE DayEpoch > strftime('%s', 'now', '-30 days') + 0
GROUP BY Cluster, UID ORDER BY NodeHours DESC LIMIT 20;
