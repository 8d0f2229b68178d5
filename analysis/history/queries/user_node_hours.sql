-- Node hours of the last 30 days by user, and how many of them were in runs with mostly
-- idle CPUs.
SELECT User, sum(Jobs) AS Jobs, round(sum(NodeHours), 3) AS NodeHours, round(sum(IdleNodeHours), 3) AS IdleNodeHours
FROM days WHERE DayNumber > strftime('%s', 'now') / 86400 - 30
GROUP BY UID, Cluster ORDER BY NodeHours DESC LIMIT 20;
