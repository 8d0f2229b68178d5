-- Node hours of the jobs that ended in the last week, by finding, and how many of them the
-- finding cost; NULL where that is unknown. A job may have several findings.
SELECT Code, count(*) AS Jobs, round(sum(NodeHours), 3) AS NodeHours, round(sum(CostNodeHours), 3) AS LostNodeHours
FROM job_findings
WHERE EndEpoch > strftime('%s', 'now', '-7 days') + 0
  AND Code NOT IN ('no_period', 'not_sampled', 'partly_sampled') -- week_coverage counts these
GROUP BY Code ORDER BY LostNodeHours DESC, NodeHours DESC;
