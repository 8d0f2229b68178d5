-- Energy of the last 30 days by user, for runs on nodes that measure it.
SELECT User, sum(EnergyJobs) AS Jobs, round(sum(EnergyKWh), 2) AS KWh FROM days
WHERE DayNumber > strftime('%s', 'now') / 86400 - 30
GROUP BY UID, Cluster HAVING KWh IS NOT NULL ORDER BY KWh DESC LIMIT 20;
