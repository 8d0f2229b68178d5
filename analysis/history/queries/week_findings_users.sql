-- Users whose jobs of the last week lost most node hours, by finding.
SELECT User, Code, count(*) AS Jobs, round(sum(CostNodeHours), 3) AS LostNodeHours
FROM job_findings
WHERE EndEpoch > strftime('%s', 'now', '-7 days') + 0 AND CostCoreS > 0
GROUP BY User, Code ORDER BY LostNodeHours DESC LIMIT 20;
