-- CPU hours that jobs of the last week were given and used, by user. NULL: not measured.
SELECT User, count(*) AS Jobs, round(sum(NCPUS * ElapsedS) / 3600, 3) AS CPUHours, round(sum(TotalCPUS) / 3600, 3) AS UsedCPUHours,
  round(100 * sum(TotalCPUS) / sum(CASE WHEN TotalCPUS IS NOT NULL THEN NCPUS * ElapsedS END), 1) AS UsedPct
FROM jobs WHERE EndEpoch > strftime('%s', 'now', '-7 days') + 0
GROUP BY User ORDER BY CPUHours DESC LIMIT 20;
