-- Jobs of the last week that left more than half of their CPUs idle, those that
-- wasted most first.
SELECT JobID, User, NCPUS, round(BusyCPUs, 1) AS Busy, Elapsed FROM jobs
WHERE EndEpoch > strftime('%s', 'now', '-7 days') + 0 AND BusyCPUs < 0.5 * NCPUS
ORDER BY (NCPUS - BusyCPUs) * ElapsedS DESC LIMIT 20;
