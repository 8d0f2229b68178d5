-- Jobs of the last week on four nodes or more whose busiest node did more than 15 %
-- above the mean of all.
SELECT JobID, User, NNodes, round(ImbalancePct, 1) AS Imbalance FROM jobs
WHERE EndEpoch > strftime('%s', 'now', '-7 days') + 0 AND NNodes >= 4 AND ImbalancePct > 15
ORDER BY ImbalancePct DESC;
