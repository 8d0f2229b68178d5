-- Nodes of the last week with no record (Missing) or an unsealed one (Died: the agent ended
-- before the job) for two or more of their jobs, and for at least a tenth of them: no Prolog
-- ran, a disk was full, or they crashed.
SELECT Cluster, NodeName, count(*) AS Jobs, sum(Reported = 0) AS Missing, sum(coalesce(Sealed = 0, 0)) AS Died,
  group_concat(CASE WHEN Reported = 0 OR Sealed = 0 THEN JobID END, ' ') AS JobIDs, count(*) OVER () AS OfAll
FROM job_nodes WHERE likelihood(EndEpoch > strftime('%s', 'now', '-7 days') + 0, 0.01) -- so that SQLite begins with them
GROUP BY Cluster, NodeName HAVING Missing + Died >= 2 AND 10 * (Missing + Died) >= count(*)
ORDER BY 1.0 * (Missing + Died) / count(*) DESC, Cluster, NodeName LIMIT 10;
