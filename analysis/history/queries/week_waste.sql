-- Node hours of the jobs that ended in the last week, by finding, and how many of them were
-- lost by it; NULL where that is no matter of CPUs. A job may have several findings: these
-- are those that the columns of jobs and job_resources earn by the rules of
-- jobgait-report(7), without those of nodes, GPUs, code and earlier runs.
WITH ended AS (
  SELECT NNodes * ElapsedS / 3600 AS NodeHours, NCPUS * ElapsedS AS CoreS, Failed, Signal,
    coalesce(State = 'OUT_OF_MEMORY', 0) OR coalesce(OOMKills > 0, 0) AND Failed AS NoMemory,
    coalesce(State IN ('TIMEOUT', 'DEADLINE'), Signal IN (9, 15) AND LimitS > 0 AND ElapsedS >= LimitS, 0) AS NoTime,
    coalesce(Lacked >= 0.05 AND Lacked * NCPUS * ElapsedS >= 1 AND Others >= Lacked / 2, 0) AS Crowded,
    Lacked, Throttled, Stolen, Files, StartUpS / ElapsedS AS StartUp, CheckpointS / ElapsedS AS Checkpoints,
    1 - Busy - coalesce(Waiting, 0) - coalesce(Stolen, 0) - CASE WHEN Files >= 0.1 THEN Files ELSE 0 END AS Idle,
    PeakMemBytes < 0.25 * RequestedMemBytes AND RequestedMemBytes >= 4e9 AS Unused
  FROM (
    SELECT *, max(0, min(Waiting - coalesce(Throttled, 0), 1 - Busy)) AS Lacked FROM (
      SELECT NNodes, NCPUS, ElapsedS, State, StartUpS, CheckpointS, PeakMemBytes, RequestedMemBytes, OOMKills, LimitS,
        coalesce(State IN ('FAILED', 'TIMEOUT', 'CANCELLED', 'NODE_FAIL', 'OUT_OF_MEMORY', 'DEADLINE', 'BOOT_FAIL', 'PREEMPTED'), 0)
          OR coalesce(ExitCode <> '0:0', 0) AS Failed, coalesce(substr(ExitCode, instr(ExitCode, ':') + 1) + 0, 0) AS Signal,
        CASE WHEN NodesReported = NNodes THEN BusyCPUs / NCPUS END AS Busy, WaitingCPUs / NCPUS AS Waiting,
        CASE WHEN NodesReported = NNodes THEN ThrottledCPUs / NCPUS END AS Throttled,
        CASE WHEN NodesReported = NNodes THEN StolenCPUs / NCPUS END AS Stolen,
        OthersCPUs / NCPUS AS Others, min(1, IOWaitS / NodesReported / ElapsedS) AS Files
      FROM (
        SELECT NNodes, NCPUS, ElapsedS, State, ExitCode, NodesReported, BusyCPUs, StartUpS, CheckpointS, r.*
        FROM jobs CROSS JOIN (SELECT RunID, WaitingCPUs, ThrottledCPUs, StolenCPUs, OthersCPUs, PeakMemBytes,
          RequestedMemBytes, OOMKills, IOWaitS, LimitS FROM job_resources) r USING (RunID)
        WHERE EndEpoch > strftime('%s', 'now', '-7 days') + 0
        LIMIT -1 -- all of them: only so SQLite looks for no names here
      )
      WHERE NodesReported >= 0
      LIMIT -1 -- this and WHERE, which leave none out, have it look for each State once
    )
    WHERE Failed IS NOT NULL
  )
  LIMIT -1 -- and once for all findings, not for each
)
SELECT Code, count(*) AS Jobs, round(sum(NodeHours), 3) AS NodeHours, round(sum(NodeHours * Part), 3) AS LostNodeHours
FROM (
  SELECT CASE WHEN NoMemory THEN 'out_of_memory' WHEN NoTime THEN 'time_limit' WHEN Signal <> 0 THEN 'ended_by_signal' ELSE 'failed' END AS Code,
    NodeHours, 1 AS Part FROM ended WHERE NoMemory OR NoTime OR Failed
  UNION ALL SELECT CASE WHEN Crowded THEN 'crowded' ELSE 'cpus_idle' END, NodeHours, CASE WHEN Crowded THEN Lacked ELSE Idle END
    FROM ended WHERE Crowded OR Idle >= 0.25 AND Idle * CoreS >= 3600
  UNION ALL SELECT 'throttled', NodeHours, min(1, Throttled) FROM ended WHERE Throttled >= 0.05
  UNION ALL SELECT 'stolen', NodeHours, min(1, Stolen) FROM ended WHERE Stolen >= 0.05
  UNION ALL SELECT 'files_slow', NodeHours, Files FROM ended WHERE Files >= 0.1
  UNION ALL SELECT 'start_up_long', NodeHours, StartUp FROM ended WHERE StartUp >= 0.1 AND StartUp * CoreS >= 3600
  UNION ALL SELECT 'checkpoints_cost', NodeHours, Checkpoints FROM ended WHERE Checkpoints >= 0.1 AND Checkpoints * CoreS >= 3600
  UNION ALL SELECT 'memory_unused', NodeHours, NULL FROM ended WHERE Unused AND CoreS >= 3600
)
GROUP BY Code ORDER BY LostNodeHours DESC, NodeHours DESC;
