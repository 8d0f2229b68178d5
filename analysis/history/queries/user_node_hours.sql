-- Node hours of the last 30 days by user, and how many of them were in runs whose
-- CPUs were mostly idle.
SELECT User, count(*) AS Jobs, round(sum(NNodes * ElapsedS) / 3600, 1) AS NodeHours,
  round(sum(CASE WHEN BusyCPUs < 0.5 * NCPUS THEN NNodes * ElapsedS ELSE 0 END) / 3600, 1) AS IdleNodeHours
FROM jobs WHERE EndEpoch > strftime('%s', 'now', '-30 days') + 0
GROUP BY Cluster, UID ORDER BY NodeHours DESC LIMIT 20;
