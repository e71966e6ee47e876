-- What is in the dataset: traces, how long they are, how many CPUs, tasks and events they have.
SELECT e.trace AS trace, round((max(e.ts) - min(e.ts)) / 1e6, 3) AS ms, count(DISTINCT e.cpu) AS cpus,
       count(DISTINCT e.utid) AS tasks, count(*) AS events
FROM ftrace_event AS e
GROUP BY e.trace
ORDER BY ms DESC, e.trace
LIMIT 20;
