-- What was run in three shapes or more: its scaling can be seen.
SELECT User, Application, count(*) AS Shapes, sum(Runs) AS Runs FROM series
GROUP BY Cluster, UID, Application HAVING Shapes >= 3 ORDER BY Runs DESC;
