-- The tables of ./dataset as views: duckdb -init duckdb.sql, then .read 01-traces.sql
CREATE VIEW sched_slice AS SELECT * FROM 'dataset/sched_slice/*.parquet';
CREATE VIEW thread_state AS SELECT * FROM 'dataset/thread_state/*.parquet';
CREATE VIEW thread AS SELECT * FROM 'dataset/thread/*.parquet';
CREATE VIEW process AS SELECT * FROM 'dataset/process/*.parquet';
CREATE VIEW slice AS SELECT * FROM 'dataset/slice/*.parquet';
CREATE VIEW irq_slice AS SELECT * FROM 'dataset/irq_slice/*.parquet';
CREATE VIEW softirq_slice AS SELECT * FROM 'dataset/softirq_slice/*.parquet';
CREATE VIEW counter AS SELECT * FROM 'dataset/counter/*.parquet';
CREATE VIEW ftrace_event AS SELECT * FROM 'dataset/ftrace_event/*.parquet';
CREATE VIEW args AS SELECT * FROM 'dataset/args/*.parquet';
CREATE VIEW wakeup AS SELECT * FROM 'dataset/wakeup/*.parquet';
CREATE VIEW latency AS SELECT * FROM 'dataset/latency/*.parquet';
