-- The counters of a job.
SELECT Name, Unit, Scope, Total, Share FROM job_counters WHERE JobID = '812400' ORDER BY Name, Scope;
