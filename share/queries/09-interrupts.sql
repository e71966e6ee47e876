-- Time in interrupts and softirqs, by name.
SELECT name, context, count(DISTINCT trace) AS traces, count(*) AS times, sum(dur) AS total_ns,
       max(dur) AS longest_ns
FROM (SELECT trace, name, 'irq' AS context, dur FROM irq_slice WHERE doubtful = 0
      UNION ALL
      SELECT trace, name, 'softirq' AS context, dur FROM softirq_slice WHERE doubtful = 0) AS i
WHERE dur IS NOT NULL
GROUP BY name, context
ORDER BY total_ns DESC, name
LIMIT 10;
