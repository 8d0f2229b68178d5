-- How a job ended, with sacct's field names. For a task of an array the id is 123_7.
SELECT JobID, User, JobName, Start, Elapsed, State, ExitCode, NNodes, PeriodS, Report
FROM jobs WHERE JobID = '812340_7';
