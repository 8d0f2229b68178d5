-- Node hours of the last 30 days in runs with mostly idle CPUs, by account, and all node
-- hours of the account.
SELECT Account, sum(Jobs) AS Jobs, round(sum(NodeHours), 3) AS NodeHours, round(sum(IdleNodeHours), 3) AS IdleNodeHours,
  count(*) OVER () AS OfAll
FROM days WHERE DayNumber > strftime('%s', 'now') / 86400 - 30
GROUP BY Account HAVING sum(IdleNodeHours) > 0 ORDER BY sum(IdleNodeHours) DESC, Account LIMIT 10;
