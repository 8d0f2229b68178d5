-- How many jobs of the last week have a report and a period (NULL in NoReport, NoPeriod),
-- and why the others have none, by the first note that explains it. Jobs below a minute
-- get no report (report.min_elapsed_s). '-': no note explains it.
SELECT count(*) AS Jobs, NoReport, NoPeriod FROM (
  SELECT CASE
      WHEN Report IS NOT NULL THEN NULL
      WHEN NodesReported = 0 THEN 'not_sampled'
      WHEN ElapsedS < 60 THEN 'too_short'
      ELSE coalesce((SELECT Code FROM job_notes n WHERE n.RunID = j.RunID AND Code IN ('no_report_dir', 'no_agent',
        'agent_died', 'no_profile', 'profile_damaged', 'spool_full', 'spool_failed', 'collect_failed', 'requeued') LIMIT 1), '-')
    END AS NoReport, CASE
      WHEN PeriodS IS NOT NULL THEN NULL
      WHEN NodesReported = 0 THEN 'not_sampled'
      ELSE coalesce((SELECT Code FROM job_notes n WHERE n.RunID = j.RunID AND Code IN ('idle', 'too_short', 'no_variance',
        'no_valley', 'not_tracked', 'not_significant', 'low_coverage', 'nodes_disagree', 'only_clocks', 'no_perf', 'proc_only') LIMIT 1), '-')
    END AS NoPeriod
  FROM jobs j WHERE EndEpoch > strftime('%s', 'now', '-7 days') + 0
  LIMIT -1 -- all of them: only so SQLite looks for no names here
) GROUP BY NoReport, NoPeriod ORDER BY Jobs DESC;
