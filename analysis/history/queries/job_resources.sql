-- What a job was given, what it used and what it waited for.
SELECT AllocatedCPUs, BusyCPUs, WaitingCPUs, OthersCPUs, PeakMemBytes, RequestedMemBytes, ReadBytes, WrittenBytes, UsedS, LimitS
FROM job_resources WHERE JobID = '812400';
