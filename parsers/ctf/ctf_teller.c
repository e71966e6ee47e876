/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/ctf/ctf_teller.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "parsers/io/byte_reader.h"
#include "src/base/framing.h"
#include "src/base/memory.h"

#define SEND_BYTES	(64u << 10)
#define MAX_CPU		16383u
/* Fields that all records have: common_flags, common_preempt_count and common_pid. */
enum { FLAGS_AT = 2, PREEMPT_AT = 3, PID_AT = 4 };

#define HELD_BYTES	(4u << 20)	/* most, of a CPU */

struct ctf_cpu {
	int		 running;	/* 1 + the task; 0: unknown */
	struct text	 held;		/* messages with records until it is known */
};

struct ctf_host {
	char		*name;		/* owned */
	struct ctf_cpu	*cpus;		/* owned, [nr_cpus] */
	unsigned int	 nr_cpus;
};

/* --- signs of life --------------------------------------------------------------------------- */

static int alive_fd;
static volatile sig_atomic_t is_sending;	/* a message may be half sent */

static void tell_alive(int number)
{
	const struct ctf_head head = { .kind = CTF_ALIVE };
	int errnum = errno;

	(void)number;
	if (!is_sending)	/* where there is no room, the other side has enough to read */
		send(alive_fd, &head, sizeof(head), MSG_DONTWAIT | MSG_NOSIGNAL);
	errno = errnum;
}

/* SIGPROF ends the process. */
static bool limit_time(void)
{
	const struct itimerval limit = { .it_value.tv_sec = CTF_SECONDS };

	return !setitimer(ITIMER_PROF, &limit, NULL);
}

static bool begin_signs(int fd)
{
	const struct timeval often = { CTF_ALIVE_MS / 1000, CTF_ALIVE_MS % 1000 * 1000 };
	const struct sigaction action = { .sa_handler = tell_alive, .sa_flags = SA_RESTART };

	alive_fd = fd;
	return limit_time() && !sigaction(SIGALRM, &action, NULL) &&
	       !setitimer(ITIMER_REAL, &(struct itimerval){ often, often }, NULL);
}

/* --- sending --------------------------------------------------------------------------------- */

static void send_out(struct ctf_teller *t)
{
	is_sending = true;
	if (!t->is_broken && t->out.len)
		t->is_broken = framing_send(t->fd, t->out.data, t->out.len, NULL, 0,
					    FRAMING_NO_LIMIT) != 0 ||
			       !limit_time();
	is_sending = false;
	text_clear(&t->out);
}

/* @to: what is to be sent, or what is held. */
static void put(struct ctf_teller *t, struct text *to, struct ctf_head head, const char *bytes,
		size_t len)
{
	head.bytes = (uint32_t)(len < CTF_MAX_BYTES ? len : CTF_MAX_BYTES);
	text_bytes(to, (const char *)&head, sizeof(head));
	text_bytes(to, bytes, head.bytes);
	if (t->out.len >= SEND_BYTES)
		send_out(t);
}

void ctf_teller_text(struct ctf_teller *t, enum ctf_kind kind, const char *text)
{
	put(t, &t->out, (struct ctf_head){ .kind = kind }, text, strlen(text));
	if (kind == CTF_WARNING)
		send_out(t);		/* what comes next may crash */
}

void ctf_teller_number(struct ctf_teller *t, enum ctf_kind kind, uint64_t number)
{
	put(t, &t->out, (struct ctf_head){ .kind = kind, .ts = number }, "", 0);
	send_out(t);		/* somebody waits for it */
}

void ctf_teller_at(struct ctf_teller *t, uint32_t nr, const char *name)
{
	put(t, &t->out, (struct ctf_head){ .kind = CTF_AT, .id = nr }, name, strlen(name));
	send_out(t);		/* what it does to this process may be the end */
}

static void tell_format(void *arg, int id, uint8_t lacks, const struct text *format)
{
	struct ctf_teller *t = arg;

	put(t, &t->out,
	    (struct ctf_head){ .kind = CTF_FORMAT, .id = (uint32_t)id, .cpu = lacks },
	    format->data, format->len);
}

void ctf_teller_init(struct ctf_teller *t, int fd)
{
	*t = (struct ctf_teller){ .fd = fd, .types = { .tell = tell_format, .arg = t } };
	t->is_broken = !begin_signs(fd);
}

void ctf_teller_fini(struct ctf_teller *t)
{
	for (unsigned int i = 0; i < t->nr_hosts; i++) {
		free(t->hosts[i].name);
		for (unsigned int cpu = 0; cpu < t->hosts[i].nr_cpus; cpu++)
			text_fini(&t->hosts[i].cpus[cpu].held);
		free(t->hosts[i].cpus);
	}
	free(t->hosts);
	ctf_types_fini(&t->types);
	text_fini(&t->out);
	text_fini(&t->record);
}

/* --- what a trace says of itself ------------------------------------------------------------- */

static void add_entry(const bt_trace *trace, const char *name, const char *before, struct text *out)
{
	const bt_value *v = bt_trace_borrow_environment_entry_value_by_name_const(trace, name);

	if (v && bt_value_is_string(v))
		text_printf(out, "%s%s", before, bt_value_string_get(v));
	else if (v && bt_value_is_signed_integer(v))
		text_printf(out, "%s%" PRId64, before, bt_value_integer_signed_get(v));
}

static void tell_host(struct ctf_teller *t, const bt_trace *trace, const char *name)
{
	struct text uname = { 0 }, writer = { 0 };

	put(t, &t->out, (struct ctf_head){ .kind = CTF_HOST, .host = (uint16_t)t->nr_hosts }, name,
	    strlen(name));
	add_entry(trace, "sysname", "", &uname);
	text_printf(&uname, "%s%s", uname.len ? " " : "Linux ", *name ? name : "?");
	add_entry(trace, "kernel_release", " ", &uname);
	add_entry(trace, "tracer_name", "", &writer);
	add_entry(trace, "tracer_major", " ", &writer);
	add_entry(trace, "tracer_minor", ".", &writer);
	add_entry(trace, "tracer_patchlevel", ".", &writer);
	if (!t->nr_hosts && *name)
		ctf_teller_text(t, CTF_UNAME, text_str(&uname));
	if (!t->nr_hosts)
		ctf_teller_text(t, CTF_WRITER, text_str(&writer));
	text_fini(&uname);
	text_fini(&writer);
}

void ctf_teller_begin(struct ctf_teller *t, const bt_stream *stream, struct ctf_lane *lane)
{
	const bt_trace *trace = bt_stream_borrow_trace_const(stream);
	struct text name = { 0 };

	add_entry(trace, "hostname", "", &name);
	for (lane->host = 0; lane->host < t->nr_hosts; lane->host++)
		if (!strcmp(t->hosts[lane->host].name, text_str(&name)))
			break;
	if (lane->host == t->nr_hosts && t->nr_hosts < CTF_MAX_HOSTS) {
		tell_host(t, trace, text_str(&name));
		mem_grow(&t->hosts, t->nr_hosts, &t->cap_hosts);
		t->hosts[t->nr_hosts++] =
			(struct ctf_host){ .name = mem_strdup(text_str(&name)) };
	}
	text_fini(&name);
}

#define SECOND		1000000000
#define MOST_RAW	(1ll << 58)	/* a stamp has 59 bits */

/* Raw stamps are what the clock shows; or times since the first one, if it shows more bits. */
void ctf_teller_clock(struct ctf_teller *t, const bt_clock_class *clock, int64_t earliest)
{
	const char *name = clock ? bt_clock_class_get_name(clock) : NULL;
	int64_t seconds = 0;
	uint64_t cycles = 0;

	if (clock) {
		bt_clock_class_get_offset(clock, &seconds, &cycles);
		cycles = (uint64_t)((double)cycles * SECOND /
				    (double)bt_clock_class_get_frequency(clock));
	}
	t->base = seconds * SECOND + (int64_t)cycles;
	if (earliest < t->base || earliest - t->base > MOST_RAW) {
		t->base = earliest;
		name = NULL;
	}
	ctf_teller_text(t, CTF_CLOCK, name && !strcmp(name, "monotonic") ? "mono" : "");
	/* CTF 1.8.3, 8: an offset is from the epoch, also of a clock that is not `absolute` */
	if (clock && (seconds || cycles || bt_clock_class_origin_is_unix_epoch(clock)))
		ctf_teller_number(t, CTF_WALL, (uint64_t)t->base);
}

static void tell_left_out(struct ctf_teller *t, uint64_t nr, const char *what)
{
	struct text text = { 0 };

	text_printf(&text, "%s: %" PRIu64, what, nr);
	ctf_teller_text(t, CTF_WARNING, text_str(&text));
	text_fini(&text);
}

/* --- who runs -------------------------------------------------------------------------------- */

static struct ctf_cpu *cpu_of(struct ctf_teller *t, const struct ctf_lane *lane)
{
	struct ctf_host *host = &t->hosts[lane->host];

	mem_reach(&host->cpus, &host->nr_cpus, lane->cpu);
	return &host->cpus[lane->cpu];
}

/* Records that were held until it was known who ran: it was @pid; -1: that is not known. */
static void let_go(struct ctf_teller *t, struct ctf_cpu *cpu, int pid)
{
	char *at = cpu->held.data, *end = at + cpu->held.len;
	struct ctf_head head;

	while (at < end) {
		memcpy(&head, at, sizeof(head));
		store_u32((uint8_t *)at + sizeof(head) + PID_AT, (uint32_t)pid, false);
		at += sizeof(head) + head.bytes;
	}
	if (cpu->held.len)
		text_bytes(&t->out, cpu->held.data, cpu->held.len);
	text_fini(&cpu->held);
	if (t->out.len >= SEND_BYTES)
		send_out(t);
}

void ctf_teller_end(struct ctf_teller *t)
{
	for (unsigned int i = 0; i < t->nr_hosts; i++)
		for (unsigned int cpu = 0; cpu < t->hosts[i].nr_cpus; cpu++)
			let_go(t, &t->hosts[i].cpus[cpu], -1);
	if (t->cut)
		tell_left_out(t, t->cut, "records shortened to what a record can hold");
	if (t->untyped)
		tell_left_out(t, t->untyped, "events left out, since there are too many types");
	ctf_teller_text(t, CTF_END, "");
	send_out(t);
}

static bool number_at(const struct ctf_teller *t, const struct ctf_type *type, enum ctf_role role,
		      int *v)
{
	if (type->at[role] != CTF_NOWHERE)
		*v = (int)load_u32((const uint8_t *)t->record.data + type->at[role], false);
	return type->at[role] != CTF_NOWHERE;
}

/* A text of a record, which is the field, or whose place is. */
static const char *text_at(const struct ctf_teller *t, const struct ctf_type *type,
			   enum ctf_role role)
{
	const char *field = t->record.data + type->at[role];

	if (type->at[role] == CTF_NOWHERE)
		return "";
	return type->comms >> role & 1 ? field : t->record.data + (load_u32(field, false) & 0xffff);
}

static void tell_task(struct ctf_teller *t, int pid, int process, uint64_t ts, const char *name)
{
	put(t, &t->out, (struct ctf_head){ .kind = CTF_TASK, .id = (uint32_t)pid,
				  .cpu = (uint32_t)process, .ts = ts }, name, strlen(name));
}

/* What the context says of the task, and what else is known.  -1: nothing is. */
static int find_task(struct ctf_teller *t, const struct ctf_type *type, struct ctf_cpu *cpu,
		     uint64_t ts)
{
	int pid = cpu->running - 1, next = 0, process = 0;
	bool is_switch = number_at(t, type, CTF_NEXT_TID, &next) &&
			 number_at(t, type, CTF_PREV_TID, &pid);

	if (type->tells_task) {		/* it has no CPU */
		number_at(t, type, CTF_PERF_TID, &pid);
		return pid;
	}
	if (is_switch && pid > 0)
		tell_task(t, pid, 0, ts, text_at(t, type, CTF_PREV_COMM));
	if (is_switch && next > 0)
		tell_task(t, next, 0, ts, text_at(t, type, CTF_NEXT_COMM));
	if (is_switch || number_at(t, type, CTF_TID, &pid) || number_at(t, type, CTF_VTID, &pid) ||
	    number_at(t, type, CTF_COMMON_PID, &pid) || number_at(t, type, CTF_PERF_TID, &pid)) {
		let_go(t, cpu, pid);
		cpu->running = (is_switch ? next : pid) + 1;
	}
	if (!number_at(t, type, CTF_PID, &process) && !number_at(t, type, CTF_VPID, &process))
		number_at(t, type, CTF_PERF_PID, &process);
	if (pid > 0 && (type->at[CTF_PROCNAME] != CTF_NOWHERE || process > 0))
		tell_task(t, pid, process, ts, text_at(t, type, CTF_PROCNAME));
	return pid;
}

/* The processes that were there before the recording; and at @ts, a task's name. */
static void take_dump(struct ctf_teller *t, const struct ctf_type *type, uint64_t ts)
{
	int tid, process = 0;

	if (!number_at(t, type, CTF_DUMP_TID, &tid) || type->at[CTF_DUMP_NAME] == CTF_NOWHERE)
		return;
	number_at(t, type, CTF_DUMP_PID, &process);
	tell_task(t, tid, process, type->tells_task ? ts : 0, text_at(t, type, CTF_DUMP_NAME));
}

/* --- messages -------------------------------------------------------------------------------- */

static unsigned int shown_cpu(uint64_t v)
{
	return v <= MAX_CPU ? (unsigned int)v : MAX_CPU;
}

static void take_event(struct ctf_teller *t, const bt_event *event, uint64_t ts,
		       struct ctf_lane *lane)
{
	const struct ctf_type *type = ctf_types_of(&t->types, event);
	struct ctf_cpu *cpu;
	uint8_t *record;
	int pid, nr = 0;

	if (!type->id) {
		t->untyped++;
		return;
	}
	t->cut += !ctf_record_make(type, event, &t->record);
	take_dump(t, type, ts);
	if (type->tells_task && !ts)
		return;
	record = (uint8_t *)t->record.data;
	if (!lane->has_cpu) {
		number_at(t, type, CTF_PERF_CPU, &nr);
		lane->cpu = shown_cpu((uint32_t)nr);
	}
	cpu = cpu_of(t, lane);
	pid = find_task(t, type, cpu, ts);
	store_u32(record + PID_AT, (uint32_t)pid, false);
	if (number_at(t, type, CTF_COMMON_FLAGS, &nr))
		record[FLAGS_AT] = (uint8_t)nr;
	if (number_at(t, type, CTF_COMMON_PREEMPT, &nr))
		record[PREEMPT_AT] = (uint8_t)nr;
	put(t, cpu->running || type->tells_task ? &t->out : &cpu->held,
	    (struct ctf_head){ .kind = CTF_RECORD, .host = (uint16_t)lane->host, .cpu = lane->cpu,
			       .ts = ts }, t->record.data, t->record.len);
	if (cpu->held.len > HELD_BYTES)
		let_go(t, cpu, -1);
}

/* Without a CPU, all is of CPU 0, or of that which an event of perf tells. */
static void take_packet(const bt_packet *packet, struct ctf_lane *lane)
{
	const bt_field
		*context = bt_packet_borrow_context_field_const(packet),
		*cpu = context ? bt_field_structure_borrow_member_field_by_name_const(context,
										      "cpu_id") :
				 NULL;
	uint64_t v = 0;

	if (cpu && bt_field_get_class_type(cpu) == BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER)
		v = bt_field_integer_unsigned_get_value(cpu);
	lane->has_cpu = cpu;
	lane->cpu = shown_cpu(v);
}

static void tell_lost(struct ctf_teller *t, const struct ctf_lane *lane, uint64_t ts, uint64_t nr)
{
	put(t, &t->out, (struct ctf_head){ .kind = CTF_LOST, .host = (uint16_t)lane->host,
				  .cpu = lane->cpu, .ts = ts,
				  .id = nr < UINT32_MAX ? (uint32_t)nr : UINT32_MAX }, "", 0);
	cpu_of(t, lane)->running = 0;
}

void ctf_teller_take(struct ctf_teller *t, const bt_message *message, int64_t ns,
		     struct ctf_lane *lane)
{
	uint64_t ts = ns > t->base ? (uint64_t)(ns - t->base) : 0, nr = 0;

	switch (bt_message_get_type(message)) {
	case BT_MESSAGE_TYPE_EVENT:
		take_event(t, bt_message_event_borrow_event_const(message), ts, lane);
		break;
	case BT_MESSAGE_TYPE_PACKET_BEGINNING:
		take_packet(bt_message_packet_beginning_borrow_packet_const(message), lane);
		break;
	case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
		if (bt_message_discarded_events_get_count(message, &nr) !=
		    BT_PROPERTY_AVAILABILITY_AVAILABLE)
			nr = 0;
		tell_lost(t, lane, ts, nr);
		break;
	case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
		tell_lost(t, lane, ts, 0);
		break;
	case BT_MESSAGE_TYPE_STREAM_BEGINNING:
	case BT_MESSAGE_TYPE_STREAM_END:
	case BT_MESSAGE_TYPE_PACKET_END:
	case BT_MESSAGE_TYPE_MESSAGE_ITERATOR_INACTIVITY:
		break;
	}
}
