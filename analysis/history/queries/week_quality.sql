-- Quality of the data of the last week, and the overhead of measuring it.
SELECT Counters, count(*) AS Jobs, round(avg(LostPct), 2) AS Lost, round(max(OverheadPct), 2) AS WorstOverhead
FROM jobs WHERE EndEpoch > strftime('%s', 'now', '-7 days') + 0 GROUP BY Counters ORDER BY Jobs DESC;
