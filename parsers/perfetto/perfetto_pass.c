/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/perfetto/perfetto_pass.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/io/archive_decoder.h"
#include "parsers/perfetto/perfetto_numbers.h"

#define FIRST_ADDRESS	0xffffffff81000000u	/* made up, for names of functions */
#define FUNCTION_BYTES	16u
#define MOST_UNPACKED	(64u << 20)	/* bytes of packets that are in a packet */
#define STEP_BYTES	(64u << 10)
#define MOST_SEQUENCES	65536u		/* others are taken for the last one */

/* A packet: what its fields say before it is taken. */
struct packet {
	struct proto_field what;	/* the message that it holds */
	uint64_t	 time, clock, flags;
	bool		 has_time;
	struct proto_field interned, defaults;
	uint32_t	 sequence;
	bool		 is_dropped;
};

/* --- names ---------------------------------------------------------------------------------- */

uint64_t perfetto_pass_function(struct perfetto_pass *pass, const char *s)
{
	struct perfetto_names *all = &pass->functions;
	uint32_t hash = index_map_hash_bytes(s, strlen(s));
	uint64_t address = FIRST_ADDRESS + (uint64_t)FUNCTION_BYTES * all->nr;

	index_map_each (&pass->function_names, hash, i)
		if (!strcmp(all->names[i].s, s))
			return all->names[i].iid;
	index_map_add(&pass->function_names, hash, all->nr);
	perfetto_names_add(all, address)->s = s;
	return address;
}

static bool take_name(struct perfetto_pass *pass, struct perfetto_names *names, bool is_function,
		      struct proto_reader r)
{
	struct proto_field f, s = { 0 };
	struct perfetto_name *name;
	uint64_t iid = 0;

	while (proto_next(&r, &f))
		if (f.number == INTERNED_IID)
			iid = f.value;
		else if (f.number == INTERNED_STRING)
			s = f;
	if (!iid || !s.bytes)
		return !r.failed;
	name = perfetto_names_add(names, iid);
	name->s = arena_strndup(&pass->arena, (const char *)s.bytes, s.value);
	if (is_function)
		name->address = perfetto_pass_function(pass, name->s);
	return !r.failed;
}

static bool take_interned(struct perfetto_pass *pass, struct proto_reader r)
{
	struct perfetto_sequence *sequence = pass->sequence;
	struct proto_field f;
	bool good = true;

	while (good && proto_next(&r, &f))
		if (f.number == INTERNED_EVENT_NAMES)
			good = take_name(pass, &sequence->events, false, proto_inside(&f));
		else if (f.number == INTERNED_SYMBOLS)
			good = take_name(pass, sequence->symbols, true, proto_inside(&f));
	return good && !r.failed;
}

/* --- sequences ------------------------------------------------------------------------------ */

static void begin_symbols(struct perfetto_pass *pass, struct perfetto_sequence *sequence)
{
	if (sequence->symbols && !sequence->symbols->is_kept) {
		perfetto_names_clear(sequence->symbols);
		return;
	}
	sequence->symbols = mem_alloc(sizeof(*sequence->symbols));
	mem_grow(&pass->symbols, pass->nr_symbols, &pass->cap_symbols);
	pass->symbols[pass->nr_symbols++] = sequence->symbols;
}

static struct perfetto_sequence *sequence_of(struct perfetto_pass *pass, uint32_t id)
{
	struct perfetto_sequence *sequence = pass->sequence;

	if (sequence && sequence->id == id)
		return sequence;
	index_map_each (&pass->sequence_ids, index_map_hash(id), i)
		if (pass->sequences[i]->id == id)
			return pass->sequences[i];
	if (pass->nr_sequences == MOST_SEQUENCES)
		return pass->sequences[MOST_SEQUENCES - 1];
	sequence = mem_alloc(sizeof(*sequence));
	sequence->id = id;
	begin_symbols(pass, sequence);
	mem_grow(&pass->sequences, pass->nr_sequences, &pass->cap_sequences);
	index_map_add(&pass->sequence_ids, index_map_hash(id), pass->nr_sequences);
	pass->sequences[pass->nr_sequences++] = sequence;
	return sequence;
}

static void begin_again(struct perfetto_pass *pass, struct perfetto_sequence *sequence)
{
	perfetto_names_clear(&sequence->events);
	begin_symbols(pass, sequence);
	sequence->track = 0;
	sequence->clock = 0;
	sequence->is_lost = false;
}

static bool take_defaults(struct perfetto_sequence *sequence, struct proto_reader r)
{
	struct proto_field f, inner;

	while (proto_next(&r, &f)) {
		struct proto_reader event = proto_inside(&f);

		if (f.number == DEFAULTS_CLOCK)
			sequence->clock = f.value;
		if (f.number != DEFAULTS_TRACK_EVENT)
			continue;
		while (proto_next(&event, &inner))
			if (inner.number == SLICE_TRACK)
				sequence->track = inner.value;
		r.failed |= event.failed;
	}
	return !r.failed;
}

/* --- clocks --------------------------------------------------------------------------------- */

static struct perfetto_clock *clock_of(struct perfetto_sequence *sequence, uint64_t number)
{
	for (unsigned int i = 0; i < sequence->nr_clocks; i++)
		if (sequence->clocks[i].number == number)
			return &sequence->clocks[i];
	return NULL;
}

/* A time of a clock in that of the trace. */
static uint64_t time_of(struct perfetto_pass *pass, uint64_t number, uint64_t time)
{
	struct perfetto_clock *clock;

	if (!number || number == pass->primary)
		return time;
	if (number < PERFETTO_CLOCKS) {
		pass->without_clock += !pass->has_offset[number];
		return time + (uint64_t)pass->offsets[number];
	}
	clock = clock_of(pass->sequence, number);
	if (!clock) {
		pass->without_clock++;
		return time;
	}
	time *= clock->unit;
	if (clock->is_incremental)
		time = clock->last += time;
	return time + (uint64_t)clock->offset;
}

static bool read_clock(struct proto_reader r, struct perfetto_clock *clock)
{
	struct proto_field f;

	*clock = (struct perfetto_clock){ .unit = 1 };
	while (proto_next(&r, &f))
		if (f.number == CLOCK_NUMBER)
			clock->number = f.value;
		else if (f.number == CLOCK_TIME)
			clock->last = f.value;
		else if (f.number == CLOCK_IS_INCREMENTAL)
			clock->is_incremental = f.value;
		else if (f.number == CLOCK_UNIT && f.value)
			clock->unit = f.value;
	clock->last *= clock->unit;
	return !r.failed;
}

static void set_clock(struct perfetto_pass *pass, const struct perfetto_clock *clock)
{
	struct perfetto_sequence *sequence = pass->sequence;
	struct perfetto_clock *known;

	if (clock->number < PERFETTO_CLOCKS) {
		/* the wall clock is that of the beginning */
		if (clock->number == CLOCK_IS_REALTIME && pass->has_offset[CLOCK_IS_REALTIME])
			return;
		pass->offsets[clock->number] = clock->offset;
		pass->has_offset[clock->number] = true;
		return;
	}
	known = clock_of(sequence, clock->number);
	if (!known) {
		mem_grow(&sequence->clocks, sequence->nr_clocks, &sequence->cap_clocks);
		known = &sequence->clocks[sequence->nr_clocks++];
	}
	*known = *clock;
}

/* Clocks that were read together. */
static bool take_snapshot(struct perfetto_pass *pass, struct proto_reader r)
{
	struct proto_reader again = r;
	struct perfetto_clock clock, primary = { 0 };
	struct proto_field f;

	while (proto_next(&r, &f))
		if (f.number == SNAPSHOT_PRIMARY && f.value && f.value < PERFETTO_CLOCKS)
			pass->primary = f.value;
	for (struct proto_reader find = again; proto_next(&find, &f);)
		if (f.number == SNAPSHOT_CLOCK && read_clock(proto_inside(&f), &clock) &&
		    clock.number == pass->primary)
			primary = clock;
	while (primary.number && proto_next(&again, &f)) {
		if (f.number != SNAPSHOT_CLOCK || !read_clock(proto_inside(&f), &clock))
			continue;
		clock.offset = (int64_t)(primary.last - clock.last);
		set_clock(pass, &clock);
	}
	return !r.failed;
}

/* --- the kernel ----------------------------------------------------------------------------- */

static void set_word(struct text *word, const struct proto_field *f)
{
	text_clear(word);
	for (uint64_t i = 0; f->bytes && i < f->value && i < 128; i++)
		text_char(word, f->bytes[i] > ' ' && f->bytes[i] < 0x7f ? (char)f->bytes[i] : '_');
}

static bool take_system(struct perfetto_pass *pass, struct proto_reader r)
{
	struct proto_field f, inner;

	while (proto_next(&r, &f)) {
		struct proto_reader name = proto_inside(&f);

		if (f.number == SYSTEM_CPUS && f.value <= SPOOL_MAX_CPUS)
			pass->nr_cpus = (unsigned int)f.value;
		if (f.number != SYSTEM_UTSNAME)
			continue;
		while (proto_next(&name, &inner))
			if (inner.number == UTSNAME_SYSNAME)
				set_word(&pass->sysname, &inner);
			else if (inner.number == UTSNAME_RELEASE)
				set_word(&pass->release, &inner);
			else if (inner.number == UTSNAME_MACHINE)
				set_word(&pass->machine, &inner);
		r.failed |= name.failed;
	}
	return !r.failed;
}

/* How many events the kernel lost, by CPU; at the start, those before the trace. */
static bool take_stats(struct perfetto_pass *pass, struct proto_reader r)
{
	uint64_t phase = 0, lost = 0;
	struct proto_field f, inner;

	while (proto_next(&r, &f)) {
		struct proto_reader cpu = proto_inside(&f);

		if (f.number == STATS_PHASE)
			phase = f.value;
		if (f.number != STATS_CPU)
			continue;
		while (proto_next(&cpu, &inner))
			if (inner.number == CPU_STATS_OVERRUN || inner.number == CPU_STATS_DROPPED)
				lost += inner.value;
		r.failed |= cpu.failed;
	}
	if (phase == STATS_IS_START || phase == STATS_IS_END)
		pass->lost[phase == STATS_IS_END] += lost;
	return !r.failed;
}

/* --- packets -------------------------------------------------------------------------------- */

static bool take_packet(struct perfetto_pass *pass, struct proto_reader r, bool is_inside);

static const char *unpack(enum archive_kind kind, const struct proto_field *f, struct text *out)
{
	struct archive_decoder *decoder = archive_decoder_new(kind);
	uint64_t done = 0;
	size_t taken, made;
	const char *wrong = decoder ? NULL : "not built in";
	bool ended = false;

	while (!wrong && !ended) {
		taken = f->value - done;
		made = STEP_BYTES;
		text_reserve(out, made);
		wrong = archive_decoder_step(decoder, f->bytes + done, &taken,
					     (uint8_t *)out->data + out->len, &made, &ended);
		done += taken;
		out->len += made;
		if (!wrong && ((!taken && !made) || out->len > MOST_UNPACKED))
			wrong = "it does not end";
	}
	archive_decoder_free(decoder);
	return wrong;
}

/* Packets that are compressed into one. */
static bool take_packed(struct perfetto_pass *pass, const struct proto_field *packed)
{
	enum archive_kind kind = packed->number == PACKET_ZSTD ? ARCHIVE_ZSTD : ARCHIVE_ATRACE;
	struct text out = { 0 };
	struct proto_reader r;
	struct proto_field f;

	if (unpack(kind, packed, &out))
		pass->packed++;
	pass->packet_end = NULL;
	r = proto_reader((const uint8_t *)text_str(&out), out.len);
	while (proto_next(&r, &f))
		if (f.number == TRACE_PACKET && f.kind == PROTO_BYTES &&
		    !take_packet(pass, proto_inside(&f), true))
			pass->damaged++;
	text_fini(&out);
	return true;
}

static bool take_what(struct perfetto_pass *pass, const struct packet *p, bool is_inside)
{
	struct proto_reader what = proto_inside(&p->what);

	switch (p->what.number) {
	case PACKET_FTRACE_EVENTS:
		return perfetto_pass_bundle(pass, what);
	case PACKET_PROCESS_TREE:
		return perfetto_tasks_tree(&pass->tasks, p->has_time ? p->time : 0, what);
	case PACKET_PROCESS_STATS:
		pass->kinds[PACKET_PROCESS_STATS]++;
		return perfetto_tasks_stats(&pass->tasks, what);
	case PACKET_CLOCK_SNAPSHOT:
		return take_snapshot(pass, what);
	case PACKET_TRACK_EVENT:
		return perfetto_pass_slice(pass, p->time, what);
	case PACKET_TRACK_DESCRIPTOR:
		return perfetto_pass_track(pass, what);
	case PACKET_THREAD:
		return perfetto_pass_thread(pass, what);
	case PACKET_FTRACE_STATS:
		return take_stats(pass, what);
	case PACKET_SYSTEM_INFO:
		return take_system(pass, what);
	case PACKET_COMPRESSED:
	case PACKET_ZSTD:
		return !is_inside && take_packed(pass, &p->what);
	default:
		pass->kinds[p->what.number < PERFETTO_KINDS ? p->what.number : 0]++;
		return true;
	}
}

static bool read_packet(struct proto_reader r, struct packet *p)
{
	struct proto_field f;

	*p = (struct packet){ 0 };
	while (proto_next(&r, &f))
		switch (f.number) {
		case PACKET_TIMESTAMP:
			p->time = f.value;
			p->has_time = true;
			break;
		case PACKET_CLOCK: p->clock = f.value; break;
		case PACKET_SEQUENCE: p->sequence = (uint32_t)f.value; break;
		case PACKET_FLAGS: p->flags |= f.value; break;
		case PACKET_CLEARED: p->flags |= f.value ? FLAGS_CLEARED : 0; break;
		case PACKET_DROPPED: p->is_dropped = f.value; break;
		case PACKET_INTERNED_DATA: p->interned = f; break;
		case PACKET_DEFAULTS: p->defaults = f; break;
		default:
			if (f.kind == PROTO_BYTES)
				p->what = f;
			break;
		}
	return !r.failed;
}

static bool take_packet(struct perfetto_pass *pass, struct proto_reader r, bool is_inside)
{
	struct perfetto_sequence *sequence;
	struct packet p;
	bool good = read_packet(r, &p);

	sequence = pass->sequence = sequence_of(pass, p.sequence);
	sequence->is_lost |= p.is_dropped;
	if (p.flags & FLAGS_CLEARED)
		begin_again(pass, sequence);
	if (p.defaults.bytes)
		good &= take_defaults(sequence, proto_inside(&p.defaults));
	if (p.interned.bytes)
		good &= take_interned(pass, proto_inside(&p.interned));
	if (!p.what.bytes)
		return good;
	if (p.what.number == PACKET_TRACK_EVENT || p.what.number == PACKET_PROCESS_TREE)
		p.time = time_of(pass, p.clock ? p.clock : sequence->clock, p.time);
	return take_what(pass, &p, is_inside) && good;
}

static void see_damage(struct perfetto_pass *pass, struct perfetto_file *file)
{
	if (file->damaged_at == UINT64_MAX)
		return;
	source_add_warning(&pass->spool->base, (int64_t)file->damaged_at,
			   file->pos < file->end ?
				   "no packet is here: goes on at byte %" PRIu64 :
				   "no packet is here, up to the end, byte %" PRIu64,
			   file->pos);
	file->damaged_at = UINT64_MAX;
}

void perfetto_pass_begin(struct perfetto_pass *pass, struct spool_source *spool)
{
	pass->spool = spool;
	pass->primary = CLOCK_IS_BOOTTIME;
	perfetto_types_init(&pass->types);
}

int perfetto_pass_step(struct perfetto_pass *pass, struct perfetto_file *file, uint64_t bytes,
		       struct ft_error *err)
{
	uint64_t begin = file->pos, offset;
	struct proto_reader packet;

	while (file->pos - begin < bytes) {
		bool has_packet = perfetto_file_next(file, &packet, &offset);

		see_damage(pass, file);
		if (!has_packet)
			return file->errnum ? ft_error_errno(err, file->errnum, (int64_t)file->pos,
							     "cannot read") :
					      0;
		pass->packet_end = packet.end;
		pass->packet_end_at = file->pos;
		if (!take_packet(pass, packet, false) && !pass->damaged++)
			pass->damaged_at = offset;
	}
	return 1;
}

void perfetto_pass_fini(struct perfetto_pass *pass)
{
	for (uint32_t i = 0; i < pass->nr_sequences; i++) {
		perfetto_names_fini(&pass->sequences[i]->events);
		free(pass->sequences[i]->clocks);
		free(pass->sequences[i]);
	}
	free(pass->sequences);
	index_map_fini(&pass->sequence_ids);
	for (uint32_t i = 0; i < pass->nr_symbols; i++) {
		perfetto_names_fini(pass->symbols[i]);
		free(pass->symbols[i]);
	}
	free(pass->symbols);
	free(pass->places);
	free(pass->counts);
	perfetto_names_fini(&pass->functions);
	index_map_fini(&pass->function_names);
	perfetto_tracks_fini(pass);
	free(pass->has_rows);
	free(pass->running);
	perfetto_types_fini(&pass->types);
	perfetto_tasks_fini(&pass->tasks);
	arena_fini(&pass->arena);
	text_fini(&pass->record);
	text_fini(&pass->marker);
	text_fini(&pass->name);
	text_fini(&pass->sysname);
	text_fini(&pass->release);
	text_fini(&pass->machine);
}
