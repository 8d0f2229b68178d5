-- The nodes of a job, least busy first. NULL: the node sent no record.
SELECT NodeName, Reported, round(BusyCPUs, 2) AS Busy, PeriodS, round(LostPct, 2) AS Lost
FROM job_nodes WHERE JobID = '812345' ORDER BY BusyCPUs, NodeName;
