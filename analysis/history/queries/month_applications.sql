-- Node hours of the last 30 days by application: the percentage of its jobs with a cycle, the
-- median cycle, the percentage of CPUs waited for, the percentage of the requested memory
-- that was used, and the percentage of the time in which a kernel ran on its GPUs. NULL: not
-- measured. OfAll is the number of applications.
WITH used AS (
  SELECT SeriesID, max(RunID) AS RunID, sum(NodeS) AS NodeS FROM (
    SELECT SeriesID, RunID, NNodes * ElapsedS AS NodeS FROM jobs
    WHERE StartEpoch > strftime('%s', 'now', '-30 days') + 0 AND SeriesID IS NOT NULL
    LIMIT -1 -- all of them: only so SQLite looks for no names here
  ) GROUP BY SeriesID
), top AS (
  SELECT Cluster, UID, Application, sum(NodeS) / 3600 AS NodeHours, count(*) OVER () AS OfAll
  FROM used CROSS JOIN (SELECT RunID, Cluster, UID, Application FROM jobs) USING (RunID)
  GROUP BY Cluster, UID, Application ORDER BY NodeHours DESC LIMIT 10
), each AS (
  SELECT t.*, User, PeriodS, WaitingCPUs, AllocatedCPUs, PeakMemBytes, RequestedMemBytes,
    (SELECT sum(ActiveS) FROM job_gpus g WHERE g.RunID = j.RunID) AS ActiveS,
    (SELECT sum(ReadS) FROM job_gpus g WHERE g.RunID = j.RunID AND ActiveS IS NOT NULL) AS ReadS,
    row_number() OVER (PARTITION BY t.Cluster, t.UID, t.Application ORDER BY PeriodS IS NULL, PeriodS) AS Place,
    count(PeriodS) OVER (PARTITION BY t.Cluster, t.UID, t.Application) AS Cycles
  FROM top t
  CROSS JOIN jobs j ON j.Application = t.Application AND j.Shape <> '' AND j.UID = t.UID AND j.Cluster = t.Cluster
  CROSS JOIN (SELECT RunID, WaitingCPUs, AllocatedCPUs, PeakMemBytes, RequestedMemBytes FROM job_resources) r USING (RunID)
  WHERE StartEpoch > strftime('%s', 'now', '-30 days') + 0
)
SELECT User, Application, round(NodeHours, 3) AS NodeHours, count(*) AS Jobs, round(100.0 * Cycles / count(*)) AS CyclePct,
  avg(CASE WHEN Place IN ((Cycles + 1) / 2, Cycles / 2 + 1) THEN PeriodS END) AS PeriodS,
  round(100 * sum(WaitingCPUs) / sum(CASE WHEN WaitingCPUs IS NOT NULL THEN AllocatedCPUs END), 1) AS WaitingPct,
  round(100 * sum(CASE WHEN RequestedMemBytes > 0 THEN PeakMemBytes END)
    / sum(CASE WHEN PeakMemBytes IS NOT NULL THEN RequestedMemBytes END)) AS MemoryPct,
  round(100 * sum(ActiveS) / sum(ReadS)) AS GPUPct, OfAll
FROM each GROUP BY Cluster, UID, Application ORDER BY each.NodeHours DESC, User, Application;
