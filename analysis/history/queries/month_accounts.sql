-- Node hours of the last 30 days by account, and how many of them were in runs whose CPUs
-- were mostly idle: what would be saved first comes first.
SELECT Account, sum(Jobs) AS Jobs, round(sum(NodeHours), 3) AS NodeHours, round(sum(IdleNodeHours), 3) AS IdleNodeHours,
  count(*) OVER () AS OfAll
FROM days WHERE DayNumber > strftime('%s', 'now') / 86400 - 30
GROUP BY Account ORDER BY sum(IdleNodeHours) DESC, sum(NodeHours) DESC, Account LIMIT 10;
