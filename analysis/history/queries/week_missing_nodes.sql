-- Nodes that sent no record of jobs of the last week: no Prolog ran, or the agent died.
SELECT NodeName, count(*) AS Jobs, sum(Reported = 0) AS Missing FROM job_nodes
WHERE EndEpoch > strftime('%s', 'now', '-7 days') + 0
GROUP BY NodeName HAVING Missing > 0 ORDER BY Missing DESC;
