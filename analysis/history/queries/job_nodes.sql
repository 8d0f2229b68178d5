-- The nodes of a job, those that did least first; NULL is a node without a record.
SELECT NodeName, Reported, round(BusyCPUs, 2) AS Busy, PeriodS, round(LostPct, 2) AS Lost
FROM job_nodes WHERE JobID = '812345' ORDER BY BusyCPUs, NodeName;
