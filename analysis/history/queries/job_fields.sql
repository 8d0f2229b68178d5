-- The recorded fields of a job that may explain its speed: builds, modules, commit, labels.
SELECT Name, Value FROM job_fields WHERE JobID = '812400' ORDER BY Name;
