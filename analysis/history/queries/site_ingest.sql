-- Whether runs still arrive.
SELECT Status, count(*) AS Records, max(At) AS Last FROM ingest
WHERE AtEpoch > strftime('%s', 'now', '-1 day') + 0 GROUP BY Status;
