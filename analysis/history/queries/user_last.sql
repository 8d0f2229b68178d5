-- A user's last 20 runs.
SELECT JobID, JobName, Start, Elapsed, NNodes, State, PeriodS, PatternCoverage FROM jobs
WHERE RunID IN (SELECT RunID FROM jobs WHERE User = 'alice' ORDER BY StartEpoch DESC LIMIT 20)
ORDER BY StartEpoch DESC;
