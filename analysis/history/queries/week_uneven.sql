-- Jobs of the last week on four nodes or more whose busiest node was more than 15 % busier
-- than the mean of all nodes.
SELECT JobID, User, NNodes, round(ImbalancePct, 1) AS Imbalance FROM jobs
WHERE EndEpoch > strftime('%s', 'now', '-7 days') + 0 AND NNodes >= 4 AND ImbalancePct > 15
ORDER BY ImbalancePct DESC;
