-- What limited one job: codes and rules are in jobgait-report(7).
SELECT Code, Level, round(CostCoreS) AS CostCoreS, Evidence FROM job_findings WHERE JobID = '812345' ORDER BY Position;
