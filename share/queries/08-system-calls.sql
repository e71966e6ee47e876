-- System calls: how often, how long, how many fail.
SELECT name, count(*) AS calls, sum(CASE WHEN value < 0 AND value >= -4095 THEN 1 ELSE 0 END) AS failed,
       sum(dur) AS total_ns, max(dur) AS longest_ns
FROM latency
WHERE kind = 'syscall' AND dur IS NOT NULL AND doubtful = 0
GROUP BY name
ORDER BY total_ns DESC, name
LIMIT 10;
