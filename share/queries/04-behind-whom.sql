-- Behind whom did tasks wait?  What ran on their CPU in the thousand longest waits.
SELECT w.comm AS waiting, t.name AS running, count(*) AS times,
       sum(CASE WHEN s.ts + s.dur < w.run_ts THEN s.ts + s.dur ELSE w.run_ts END
           - CASE WHEN s.ts > w.ts THEN s.ts ELSE w.ts END) AS behind_ns
FROM (SELECT * FROM wakeup WHERE doubtful = 0 ORDER BY dur DESC, trace, ts LIMIT 1000) AS w
JOIN sched_slice AS s ON s.trace = w.trace AND s.cpu = w.cpu
JOIN thread AS t ON t.trace = s.trace AND t.utid = s.utid
WHERE s.ts < w.run_ts AND s.ts + s.dur > w.ts
GROUP BY w.comm, t.name
ORDER BY behind_ns DESC, w.comm, t.name
LIMIT 10;
