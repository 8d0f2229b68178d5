-- For how long jobs that ended in the last week had waited in the queue, by partition and
-- user: from Eligible to Start, in seconds, and of all their time from Submit to End the part
-- in which they ran. Runs that the scheduler queued again since are left out, and those of
-- which it did not tell.
SELECT Partition, User, count(*) AS Jobs, round(avg(PlannedS), 1) AS WaitedS, max(PlannedS) AS MostS,
  round(100.0 * sum(ElapsedS) / nullif(sum(EndEpoch - SubmitEpoch), 0), 1) AS RunningPct
FROM jobs WHERE EndEpoch > strftime('%s', 'now', '-7 days') + 0 AND PlannedS IS NOT NULL
GROUP BY Partition, User ORDER BY sum(PlannedS) DESC LIMIT 20;
