/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PERFETTO_PERFETTO_PASS_H
#define FTOP_PARSERS_PERFETTO_PERFETTO_PASS_H
/*
 * perfetto_pass - the pass over all packets: events become pages, or records of a spool, and what
 * is said of the trace is kept.
 *
 * Packets of a producer are a sequence: names that are told once, clocks, and defaults are those of
 * the sequence.
 */
#include "parsers/perfetto/perfetto_file.h"
#include "parsers/perfetto/perfetto_page.h"
#include "parsers/perfetto/perfetto_tasks.h"
#include "parsers/perfetto/perfetto_types.h"
#include "parsers/spool/spool.h"

#define PERFETTO_CLOCKS		64u	/* numbers that are those of all sequences */
#define PERFETTO_KINDS		160u	/* kinds of packets that are counted */

/* Buffers of the source. */
enum { PERFETTO_FTRACE, PERFETTO_TRACKS, PERFETTO_BUFFERS };

struct perfetto_clock {			/* of a sequence */
	uint64_t	 number;
	uint64_t	 unit;		/* ns */
	uint64_t	 last;		/* ns; times are what came since, if is_incremental */
	int64_t		 offset;	/* ns to the trace's clock */
	bool		 is_incremental;
};

struct perfetto_sequence {
	uint32_t	 id;
	struct perfetto_names events;
	struct perfetto_names *symbols;	/* borrowed from the pass */
	uint64_t	 track;		/* of track events that name none */
	uint64_t	 clock;		/* of packets that name none; 0: the trace's */
	bool		 is_lost;	/* packets were dropped: names may be missing */
	struct perfetto_clock *clocks;	/* owned, [nr_clocks] */
	unsigned int	 nr_clocks, cap_clocks;
};

struct perfetto_pass {			/* zeroed, then perfetto_pass_begin() */
	struct spool_source *spool;	/* borrowed */
	struct perfetto_types types;
	struct perfetto_tasks tasks;
	struct perfetto_place *places;	/* owned, [nr_places]: of pages */
	uint32_t	 nr_places, cap_places;
	struct type_count *counts;	/* owned, [nr_counts]: of the page that is found */
	uint16_t	 nr_counts;
	uint32_t	 cap_counts;
	const uint8_t	*packet_end;	/* of the packet; NULL: it was compressed */
	uint64_t	 packet_end_at;	/* that in the file */
	struct perfetto_names **symbols;	/* owned, [nr_symbols]: of all sequences */
	uint32_t	 nr_symbols, cap_symbols;
	struct perfetto_names functions;	/* made-up addresses, as iid */
	struct index_map function_names;
	struct arena	 arena;		/* names, and columns of places */
	struct perfetto_sequence **sequences;	/* owned, [nr_sequences] */
	uint32_t	 nr_sequences, cap_sequences;
	struct index_map sequence_ids;
	struct perfetto_sequence *sequence;	/* of the packet */
	uint64_t	 primary;	/* the trace's clock */
	int64_t		 offsets[PERFETTO_CLOCKS];	/* ns from a clock to the trace's */
	bool		 has_offset[PERFETTO_CLOCKS];
	bool		*has_rows;	/* owned, [nr_has_rows] by CPU */
	unsigned int	 nr_has_rows;
	struct perfetto_running *running;	/* owned, [nr_running] by CPU */
	unsigned int	 nr_running;
	struct perfetto_track *tracks;	/* owned, [nr_tracks] */
	uint32_t	 nr_tracks, cap_tracks;
	struct index_map track_ids;
	struct perfetto_held *held;	/* owned, [nr_held]: track events before their tracks */
	uint32_t	 nr_held, cap_held;
	struct text	 record, marker, name;	/* of the event that is read */
	struct text	 sysname, release, machine;
	unsigned int	 nr_cpus;	/* 0: unknown */
	uint64_t	 lost[2];	/* by ftrace_stats: at the start, at the end */
	/* what is not shown */
	uint64_t	 damaged, damaged_at;	/* packets; the first one */
	uint64_t	 newer_events, undescribed_events;
	uint64_t	 without_clock, without_name, without_track, unsupported;
	uint64_t	 switches;	/* compact ones whose task before is unknown */
	uint64_t	 packed;	/* packets that cannot be unpacked */
	uint64_t	 kinds[PERFETTO_KINDS];
};

void perfetto_pass_begin(struct perfetto_pass *pass, struct spool_source *spool);
/*
 * Read packets of so many bytes.  1: there are more.  -1: the file cannot be read.  Damage is a
 * warning of the source.
 */
int perfetto_pass_step(struct perfetto_pass *pass, struct perfetto_file *file, uint64_t bytes,
		       struct ft_error *err);
void perfetto_pass_fini(struct perfetto_pass *pass);

/* The address that stands for a function.  @name: lives as long as the pass. */
uint64_t perfetto_pass_function(struct perfetto_pass *pass, const char *name);

/* perfetto_ftrace.c: take a FtraceEventBundle.  False: it is damaged. */
bool perfetto_pass_bundle(struct perfetto_pass *pass, struct proto_reader bundle);

/* perfetto_tracks.c: take a TrackDescriptor; a TrackEvent. */
bool perfetto_pass_track(struct perfetto_pass *pass, struct proto_reader descriptor);
bool perfetto_pass_slice(struct perfetto_pass *pass, uint64_t ts, struct proto_reader event);
/* The descriptor of the sequence's thread. */
bool perfetto_pass_thread(struct perfetto_pass *pass, struct proto_reader thread);
/* All packets are taken: events of tracks that the trace does not tell of go on without. */
void perfetto_tracks_end(struct perfetto_pass *pass);
void perfetto_tracks_fini(struct perfetto_pass *pass);
#endif
