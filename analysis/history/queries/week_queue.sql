-- Waiting times in the queue of jobs that ended in the last week, by partition and user: from
-- Eligible to Start, in seconds, and the share of their time from Submit to End in which they
-- ran. Left out are runs that the scheduler has queued again, and runs without these times.
SELECT Partition, User, count(*) AS Jobs, round(avg(PlannedS), 1) AS WaitedS, max(PlannedS) AS MostS,
  round(100.0 * sum(ElapsedS) / nullif(sum(EndEpoch - SubmitEpoch), 0), 1) AS RunningPct
FROM jobs WHERE EndEpoch > strftime('%s', 'now', '-7 days') + 0 AND PlannedS IS NOT NULL
GROUP BY Partition, User ORDER BY sum(PlannedS) DESC LIMIT 20;
