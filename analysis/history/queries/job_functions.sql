-- Which functions a job spent its CPU time in, and how long in one cycle.
SELECT Function, Library, SharePct, StepS
FROM job_functions WHERE JobID = '812345' ORDER BY SharePct DESC;
