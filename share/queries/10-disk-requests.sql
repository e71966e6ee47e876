-- Fields of events: requests to disks, by device number, kind of request and size.
SELECT e.trace AS trace, d.int_value AS dev, r.string_value AS rwbs, count(*) AS requests,
       sum(n.int_value) AS sectors, max(n.int_value) AS largest
FROM ftrace_event AS e
JOIN args AS d ON d.trace = e.trace AND d.arg_set_id = e.arg_set_id AND d.key = 'dev'
JOIN args AS r ON r.trace = e.trace AND r.arg_set_id = e.arg_set_id AND r.key = 'rwbs'
JOIN args AS n ON n.trace = e.trace AND n.arg_set_id = e.arg_set_id AND n.key = 'nr_sector'
WHERE e.name = 'block_rq_issue'
GROUP BY e.trace, d.int_value, r.string_value
ORDER BY sectors DESC, e.trace, dev, rwbs
LIMIT 10;
