-- Who takes the CPU from whom?  A run that ends in R+, and the next one of that CPU.
SELECT t.name AS preempted, n.name AS by_whom, count(*) AS times
FROM (SELECT trace, utid, end_state,
             min(utid) OVER (PARTITION BY trace, cpu ORDER BY ts
                             ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING) AS next_utid
      FROM sched_slice) AS s
JOIN thread AS t ON t.trace = s.trace AND t.utid = s.utid
JOIN thread AS n ON n.trace = s.trace AND n.utid = s.next_utid
WHERE s.end_state = 'R+'
GROUP BY t.name, n.name
ORDER BY times DESC, t.name, n.name
LIMIT 10;
