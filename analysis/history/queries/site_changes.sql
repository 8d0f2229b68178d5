-- Days of the last month from which runs of several users are slower: the cause is
-- probably the machine, not a job.
SELECT substr(Start, 1, 10) AS Day, count(DISTINCT User) AS Users, count(DISTINCT SeriesID) AS Series,
  round(avg(EffectPct), 1) AS Effect
FROM changes WHERE StartEpoch > strftime('%s', 'now', '-30 days') + 0 AND EffectPct > 2
GROUP BY Day HAVING Users >= 2 ORDER BY Day DESC;
