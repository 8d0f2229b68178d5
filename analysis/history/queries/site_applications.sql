-- The applications that run most often.
SELECT User, Application, Shape, Runs, Last FROM series ORDER BY Runs DESC, SeriesID LIMIT 20;
