-- Jobs of the last week that ran out of memory or of time, or lost a node.
SELECT JobID, User, JobName, State, ExitCode, Elapsed, NNodes FROM jobs
WHERE EndEpoch > strftime('%s', 'now', '-7 days') + 0
  AND State IN ('OUT_OF_MEMORY', 'TIMEOUT', 'DEADLINE', 'NODE_FAIL') ORDER BY EndEpoch DESC;
