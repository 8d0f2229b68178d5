-- The history of the application that a job belongs to, in its shape.
SELECT JobID, Start, Elapsed, State, StepS, PeriodS FROM jobs
WHERE SeriesID = (SELECT SeriesID FROM jobs WHERE JobID = '812345')
ORDER BY StartEpoch DESC LIMIT 200;
