-- On which machines do tasks wait longest for a CPU?  Percentiles (nearest rank) of what is not doubtful.
SELECT trace, max(nr) AS wakeups,
       min(CASE WHEN place >= 0.50 * nr THEN dur END) AS p50_ns,
       min(CASE WHEN place >= 0.99 * nr THEN dur END) AS p99_ns,
       max(dur) AS max_ns
FROM (SELECT trace, dur, row_number() OVER (PARTITION BY trace ORDER BY dur) AS place,
             count(*) OVER (PARTITION BY trace) AS nr
      FROM wakeup
      WHERE doubtful = 0) AS w
GROUP BY trace
ORDER BY p99_ns DESC, trace
LIMIT 20;
