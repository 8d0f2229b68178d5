-- How long jobgait's Prolog and Epilog delayed the nodes of jobs that ended in the last week,
-- in seconds a job, by the number of nodes.
SELECT NNodes, count(*) AS Jobs, round(avg(PrologS), 3) AS PrologS, round(max(PrologS), 3) AS MostPrologS,
  round(avg(EpilogS), 3) AS EpilogS, round(max(EpilogS), 3) AS MostEpilogS
FROM jobs WHERE EndEpoch > strftime('%s', 'now', '-7 days') + 0 AND (PrologS IS NOT NULL OR EpilogS IS NOT NULL)
GROUP BY NNodes ORDER BY NNodes;
