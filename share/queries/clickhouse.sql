-- The tables of ./dataset as views: clickhouse local --queries-file clickhouse.sql 01-traces.sql
CREATE VIEW sched_slice AS SELECT * FROM file('dataset/sched_slice/*.parquet');
CREATE VIEW thread_state AS SELECT * FROM file('dataset/thread_state/*.parquet');
CREATE VIEW thread AS SELECT * FROM file('dataset/thread/*.parquet');
CREATE VIEW process AS SELECT * FROM file('dataset/process/*.parquet');
CREATE VIEW slice AS SELECT * FROM file('dataset/slice/*.parquet');
CREATE VIEW irq_slice AS SELECT * FROM file('dataset/irq_slice/*.parquet');
CREATE VIEW softirq_slice AS SELECT * FROM file('dataset/softirq_slice/*.parquet');
CREATE VIEW counter AS SELECT * FROM file('dataset/counter/*.parquet');
CREATE VIEW ftrace_event AS SELECT * FROM file('dataset/ftrace_event/*.parquet');
CREATE VIEW args AS SELECT * FROM file('dataset/args/*.parquet');
CREATE VIEW wakeup AS SELECT * FROM file('dataset/wakeup/*.parquet');
CREATE VIEW latency AS SELECT * FROM file('dataset/latency/*.parquet');
