/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_TEXT_KERNEL_TEXT_PRIVATE_H
#define FTOP_PARSERS_TEXT_KERNEL_TEXT_PRIVATE_H
/*
 * kernel_text_private - how a type's records are printed: a kind, and the fields it needs.
 * kernel_text.c chooses the kind; one file for each family prints.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "parsers/types/field.h"
#include "parsers/text/kernel_text.h"
#include "parsers/types/printk_formats.h"
#include "src/base/memory.h"

#define KERNEL_FIELDS 12

struct kernel_event;
struct text_pattern;

struct kernel_call {			/* one record being printed */
	struct kernel_text		*kt;
	const struct kernel_event	*event;
	const struct print_record	*rec;
	struct text			*out;
};

struct kernel_kind {
	const char	*system, *name;		/* system NULL: any; a name ending in '*' is a
						 * prefix */
	enum kernel_text_way way;
	bool		 alone;			/* kernel_text_stands_alone() */
	void		(*print)(const struct kernel_call *c);
	void		(*message)(const struct kernel_call *c);	/* prints the message
									 * only; NULL: it has
									 * none */
	/* NULL: any text is possible */
	void		(*pattern)(const struct kernel_event *event, struct text_pattern *p);
	/*
	 * What option raw prints, and hex if it is set: letters of kernel_add_raw(), each with an
	 * index of .fields.  NULL: the number of its type.
	 */
	const char	*raw;
	bool		 hex;
	const char	*fields[KERNEL_FIELDS];	/* the fields it needs; '?' before an optional
						 * one */
};

struct kernel_event {			/* data of a type; immutable */
	const struct event_type		*type;
	const struct kernel_kind	*kind;	/* NULL: use its print format */
	const struct event_field	*f[KERNEL_FIELDS]; /* in the order of kind->fields; NULL
							    * if missing */
};

#define KERNEL_IDS_PER_LEAF 256

struct kernel_text {
	const struct source	*file;
	struct event_types	*types;
	const struct kallsyms	*syms;
	struct kernel_text_options options;
	bool			swap;
	int			long_size;
	unsigned int		release;	/* kernel's major << 16 | minor; 0 = unknown */
	atomic_bool		has_addresses;	/* the next two are known */
	uint64_t		end;		/* address of _end; 0 = unknown */
	uint64_t		trampolines[3];	/* return addresses of kretprobes; 0 = none */
	struct printk_formats	*printk;
	struct kernel_pids {			/* lines "pid text" */
		unsigned int	nr;
		struct kernel_pid {
			int		pid;
			const char	*text;
		}		*of;		/* owned, [nr], by pid */
	}			comms, tgids;
	pthread_mutex_t		lock;		/* held while events are added to the arena,
					 * or the addresses */
	struct arena		arena;
	_Atomic(_Atomic(struct kernel_event *) *) leaves[65536 / KERNEL_IDS_PER_LEAF];
};

extern const struct kernel_kind kernel_own_kinds[];     /* kernel_text_own.c: records of the
							 * tracers; the last one has .name NULL */
extern const struct kernel_kind kernel_syscall_kinds[];	/* kernel_text_syscall.c */
extern const struct kernel_kind kernel_probe_kinds[];   /* kernel_text_probe.c:
							   probes, synthetic events */
extern const struct kernel_kind kernel_blk_kinds[];	/* kernel_text_blk.c */

/* Number in field i of the kind; 0 if the type does not have the field. */
static inline uint64_t kernel_field(const struct kernel_call *c, unsigned int i)
{
	const struct event_field *f = c->event->f[i];

	return f ? field_u64(f, c->rec->data, c->rec->size, c->kt->swap) : 0;
}

/* Bytes of field i; an array without a size extends to the record's end. */
static inline struct field_span kernel_bytes(const struct kernel_call *c, unsigned int i)
{
	const struct event_field *f = c->event->f[i];
	static const struct field_span none;

	return f ? field_bytes(f, c->rec->data, c->rec->size, c->kt->swap) : none;
}

/*
 * Append a symbol, with its offset if @offset, and its address if option sym-addr is set; "0" for
 * address 0.
 */
void kernel_add_ip(const struct kernel_call *c, uint64_t address, bool offset);

/* kernel_text_own.c: what the kind's .raw says */
void kernel_add_raw(const struct kernel_call *c, bool hex);

/* " %5lu.%06lu" with the kernel's rounding; " %12llu" for a clock that counts. */
void kernel_add_time(const struct kernel_text *kt, uint64_t ts, struct text *out);
#endif
