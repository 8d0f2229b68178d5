-- Runs that became slower this week, and what changed then. If somebody has acknowledged
-- the change (jobgait changes --ack), AcknowledgedBy has the name.
SELECT JobID, User, Application, Shape, Metric, round(EffectPct, 1) AS Effect,
  round(EffectLoPct, 1) AS Lo, round(EffectHiPct, 1) AS Hi, ChangedThen, AcknowledgedBy
FROM changes WHERE AtEpoch > strftime('%s', 'now', '-7 days') + 0 AND EffectPct > 2
ORDER BY EffectPct DESC;
