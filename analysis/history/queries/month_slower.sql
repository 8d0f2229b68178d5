-- Histories that reports of the last 30 days called slower, the first slower job, and the
-- additional node hours of the jobs that have completed since. Left out are histories that
-- a later report called faster again, and changes that somebody has acknowledged.
SELECT User, Application, Shape, round(EffectPct, 1) AS Effect, Start, JobID, count(*) AS Jobs,
  round(sum(NodeS) * (1 - 1 / (1 + EffectPct / 100)) / 3600, 3) AS LostNodeHours, count(*) OVER () AS OfAll
FROM (
  SELECT c.EventID, c.User, c.Application, c.Shape, c.EffectPct, c.Start, c.JobID, j.NNodes * j.ElapsedS AS NodeS
  FROM changes c CROSS JOIN jobs j ON j.SeriesID = c.SeriesID AND j.StartEpoch >= c.StartEpoch
  WHERE c.AtEpoch > strftime('%s', 'now', '-30 days') + 0 AND c.EffectPct >= 2 AND c.Kind <> 'excursion'
    AND c.Metric IN ('step_s', 'elapsed_s') AND c.Acknowledged IS NULL
    AND CASE WHEN c.Metric = 'step_s' THEN j.StepS IS NOT NULL ELSE 1 END
    AND coalesce(j.State, 'COMPLETED') = 'COMPLETED' AND coalesce(j.ExitCode, '0:0') = '0:0'
    AND NOT EXISTS (SELECT 1 FROM changes f WHERE f.SeriesID = c.SeriesID AND f.Metric = c.Metric
      AND f.StartEpoch > c.StartEpoch AND f.EffectPct < 0)
)
GROUP BY +EventID ORDER BY LostNodeHours DESC, EventID LIMIT 10;
