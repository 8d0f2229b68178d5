-- The functions in which a job spent its CPU time, and their time in one cycle.
SELECT Function, Library, SharePct, StepS
FROM job_functions WHERE JobID = '812345' ORDER BY SharePct DESC;
