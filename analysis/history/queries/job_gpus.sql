-- What the GPUs of a job took, and for how long they ran something.
SELECT NodeName, GPU, EnergyJ, MeanW, ActiveS, ReadS, IdleShare
FROM job_gpus WHERE JobID = '812400' ORDER BY NodeName, GPU;
