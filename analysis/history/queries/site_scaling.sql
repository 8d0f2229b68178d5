-- How applications scale with their nodes, and between which numbers the law changes.
SELECT User, Application, Fixed, Metric, FirstP, LastP, Model, ChangeAfterP, ChangeBeforeP
FROM scaling WHERE Parameter = 'nodes' ORDER BY User, Application, Fixed, Metric, Position;
