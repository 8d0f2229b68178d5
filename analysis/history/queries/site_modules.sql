-- Versions of a module in use in the last 90 days, with their number of users.
SELECT Value AS Modules, count(*) AS Jobs, count(DISTINCT User) AS Users FROM job_fields
WHERE Name = 'modules' AND StartEpoch > strftime('%s', 'now', '-90 days') + 0 AND Value LIKE '%lammps%'
GROUP BY Value ORDER BY Jobs DESC LIMIT 20;
