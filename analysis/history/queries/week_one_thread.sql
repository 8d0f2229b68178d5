-- Jobs of the last week that had many CPUs and ran one thread, according to their
-- OMP_NUM_THREADS.
SELECT JobID, User, AllocatedCPUs, round(BusyCPUs, 2) AS Busy,
  (SELECT Value FROM job_fields f WHERE f.RunID = r.RunID AND f.Name = 'omp_num_threads') AS Threads
FROM job_resources r
WHERE StartEpoch > strftime('%s', 'now', '-7 days') + 0 AND AllocatedCPUs >= 4 AND BusyCPUs BETWEEN 0.5 AND 1.1
ORDER BY (AllocatedCPUs - BusyCPUs) * UsedS DESC LIMIT 20;
