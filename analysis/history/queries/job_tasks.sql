-- The tasks of an array.
SELECT JobID, State, Elapsed, PeriodS, BusyCPUs
FROM jobs WHERE JobID GLOB '812340_*' ORDER BY JobIDRaw;
