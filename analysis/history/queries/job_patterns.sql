-- All patterns of a job, best first.
SELECT Pattern, ColumnName, PeriodS, PeriodCV, PatternCoverage, Iterations, Confidence
FROM job_patterns WHERE JobID = '812345' ORDER BY Position;
