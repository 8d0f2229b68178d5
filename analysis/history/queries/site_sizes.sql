-- Applications that ran in three shapes or more, so that their scaling can be analysed.
SELECT User, Application, count(*) AS Shapes, sum(Runs) AS Runs FROM series
GROUP BY Cluster, UID, Application HAVING Shapes >= 3 ORDER BY Runs DESC;
