-- Earlier runs of the application of a job in the same shape.
SELECT JobID, Start, Elapsed, State, StepS, PeriodS FROM jobs
WHERE SeriesID = (SELECT SeriesID FROM jobs WHERE JobID = '812345')
ORDER BY StartEpoch DESC LIMIT 200;
