-- What reports of the last week could not state, or stated with a warning.
SELECT Code, count(DISTINCT RunID) AS Jobs FROM job_notes
WHERE EndEpoch > strftime('%s', 'now', '-7 days') + 0 GROUP BY Code ORDER BY Jobs DESC, Code;
