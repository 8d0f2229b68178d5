-- What limited one job; jobgait-report(7) describes the codes and rules.
SELECT Code, Level, round(CostCoreS) AS CostCoreS, Evidence FROM job_findings WHERE JobID = '812345' ORDER BY Position;
