-- Energy of the last 30 days by user, of the runs whose nodes count it.
SELECT User, count(*) AS Jobs, round(sum(ConsumedEnergyJ) / 3.6e6, 2) AS KWh FROM jobs
WHERE EndEpoch > strftime('%s', 'now', '-30 days') + 0 AND ConsumedEnergyJ IS NOT NULL
GROUP BY Cluster, UID ORDER BY KWh DESC LIMIT 20;
