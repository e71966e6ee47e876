-- What are tasks blocked on (state D)?  Who woke them at the end tells who held what they waited for.
SELECT t.name AS blocked, k.name AS woken_by, count(*) AS times, sum(b.dur) AS blocked_ns,
       max(b.dur) AS longest_ns
FROM thread_state AS b
JOIN thread_state AS r ON r.trace = b.trace AND r.utid = b.utid AND r.ts = b.ts + b.dur
JOIN thread AS t ON t.trace = b.trace AND t.utid = b.utid
JOIN thread AS k ON k.trace = r.trace AND k.utid = r.waker_utid
WHERE b.state = 'D' AND r.state = 'R' AND b.doubtful = 0
GROUP BY t.name, k.name
ORDER BY blocked_ns DESC, t.name, k.name
LIMIT 10;
