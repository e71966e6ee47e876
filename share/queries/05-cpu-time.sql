-- Who uses the CPUs?  Time by name over all traces; cut: runs that began before the trace or end after it.
SELECT t.name, count(DISTINCT s.trace) AS traces, count(*) AS runs, sum(s.dur) AS run_ns,
       sum(s.dur * s.cut) AS cut_ns, max(s.dur) AS longest_ns
FROM sched_slice AS s
JOIN thread AS t ON t.trace = s.trace AND t.utid = s.utid
WHERE s.utid != 0
GROUP BY t.name
ORDER BY run_ns DESC, t.name
LIMIT 10;
