-- The longest waits for a CPU: who waited where, and who had woken it.
SELECT trace, ts, dur AS wait_ns, comm, utid, cpu, waker_comm, irq_context
FROM wakeup
WHERE doubtful = 0
ORDER BY dur DESC, trace, ts
LIMIT 10;
