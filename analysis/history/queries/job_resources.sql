-- What a job was given, used and waited for.
SELECT AllocatedCPUs, BusyCPUs, WaitingCPUs, OthersCPUs, PeakMemBytes, RequestedMemBytes, ReadBytes, WrittenBytes, UsedS, LimitS
FROM job_resources WHERE JobID = '812400';
