-- What happened to a job, in sacct's words; of an array's task the id is 123_7.
SELECT JobID, User, JobName, Start, Elapsed, State, ExitCode, NNodes, PeriodS, Report
FROM jobs WHERE JobID = '812340_7';
