-- The energy that the GPUs of a job used, and for how long a kernel ran on them.
SELECT NodeName, GPU, EnergyJ, MeanW, ActiveS, ReadS, IdleShare
FROM job_gpus WHERE JobID = '812400' ORDER BY NodeName, GPU;
