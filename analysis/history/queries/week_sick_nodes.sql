-- Nodes of the last week that sent no record of two of their jobs or more, and of a tenth of
-- them: no Prolog, a full disk, or they crashed. Died is of how many of their records the
-- agent did not live to see the end.
SELECT Cluster, NodeName, count(*) AS Jobs, sum(Reported = 0) AS Missing, sum(coalesce(Sealed = 0, 0)) AS Died,
  group_concat(CASE WHEN Reported = 0 OR Sealed = 0 THEN JobID END, ' ') AS JobIDs, count(*) OVER () AS OfAll
FROM job_nodes WHERE likelihood(EndEpoch > strftime('%s', 'now', '-7 days') + 0, 0.01) -- so that SQLite begins with them
GROUP BY Cluster, NodeName HAVING Missing + Died >= 2 AND 10 * (Missing + Died) >= count(*)
ORDER BY 1.0 * (Missing + Died) / count(*) DESC, Cluster, NodeName LIMIT 10;
