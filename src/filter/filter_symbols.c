/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter_symbols - named numbers: values with names in print formats, errors, functions.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/printer/printer.h"
#include "parsers/text/record_text.h"
#include "src/filter/filter_bind.h"

/* --- errors --------------------------------------------------------------------------- */

#define E(name) { #name, name }
static const struct {
	const char	*name;
	int		 number;
} errors[] = {
	E(EPERM), E(ENOENT), E(ESRCH), E(EINTR), E(EIO), E(ENXIO), E(E2BIG), E(ENOEXEC), E(EBADF),
	E(ECHILD), E(EAGAIN),
	E(EWOULDBLOCK), E(ENOMEM), E(EACCES), E(EFAULT), E(ENOTBLK), E(EBUSY), E(EEXIST), E(EXDEV),
	E(ENODEV), E(ENOTDIR),
	E(EISDIR), E(EINVAL), E(ENFILE), E(EMFILE), E(ENOTTY), E(ETXTBSY), E(EFBIG), E(ENOSPC),
	E(ESPIPE), E(EROFS),
	E(EMLINK), E(EPIPE), E(EDOM), E(ERANGE), E(EDEADLK), E(ENAMETOOLONG), E(ENOLCK), E(ENOSYS),
	E(ENOTEMPTY), E(ELOOP),
	E(ENOMSG), E(EIDRM), E(ENODATA), E(ETIME), E(EOVERFLOW), E(EILSEQ), E(EUSERS), E(ENOTSOCK),
	E(EDESTADDRREQ),
	E(EMSGSIZE), E(EPROTOTYPE), E(ENOPROTOOPT), E(EPROTONOSUPPORT), E(ESOCKTNOSUPPORT),
	E(EOPNOTSUPP), E(EPFNOSUPPORT),
	E(EAFNOSUPPORT), E(EADDRINUSE), E(EADDRNOTAVAIL), E(ENETDOWN), E(ENETUNREACH), E(ENETRESET),
	E(ECONNABORTED),
	E(ECONNRESET), E(ENOBUFS), E(EISCONN), E(ENOTCONN), E(ESHUTDOWN), E(ETOOMANYREFS),
	E(ETIMEDOUT), E(ECONNREFUSED),
	E(EHOSTDOWN), E(EHOSTUNREACH), E(EALREADY), E(EINPROGRESS), E(ESTALE), E(EUCLEAN),
	E(EREMOTEIO), E(EDQUOT),
	E(ENOMEDIUM), E(EMEDIUMTYPE), E(ECANCELED), E(ENOKEY), E(EKEYEXPIRED), E(EKEYREVOKED),
	E(EKEYREJECTED),
	E(EOWNERDEAD), E(ENOTRECOVERABLE), E(EPROTO), E(EBADMSG), E(ENOSTR), E(ENOSR), E(ENOLINK),
	E(ECOMM), E(EBADFD),
	E(EREMCHG), E(ELIBACC), E(ERESTART), E(ESTRPIPE), E(ERFKILL), E(EHWPOISON), E(ECHRNG),
	E(EL2NSYNC), E(EL3HLT),
	E(EL3RST), E(ELNRNG), E(EUNATCH), E(ENOCSI), E(EL2HLT), E(EBADE), E(EBADR), E(EXFULL),
	E(ENOANO), E(EBADRQC),
	E(EBADSLT), E(EDEADLOCK), E(EBFONT), E(ENONET), E(ENOPKG), E(EREMOTE), E(EADV), E(ESRMNT),
	E(EMULTIHOP), E(EDOTDOT),
	E(ENOTUNIQ), E(ELIBBAD), E(ELIBSCN), E(ELIBMAX), E(ELIBEXEC), E(ENOTNAM), E(ENAVAIL),
	E(EISNAM), E(ENOTSUP),
	/* linux/errno.h: never returned to programs, but present in traces */
	{ "ERESTARTSYS", 512 }, { "ERESTARTNOINTR", 513 }, { "ERESTARTNOHAND", 514 },
	{ "ENOIOCTLCMD", 515 },
	{ "ERESTART_RESTARTBLOCK", 516 }, { "EPROBE_DEFER", 517 }, { "EOPENSTALE", 518 },
	{ "ENOPARAM", 519 },
	{ "EBADHANDLE", 521 }, { "ENOTSYNC", 522 }, { "EBADCOOKIE", 523 }, { "ENOTSUPP", 524 },
	{ "ETOOSMALL", 525 },
	{ "ESERVERFAULT", 526 }, { "EBADTYPE", 527 }, { "EJUKEBOX", 528 }, { "EIOCBQUEUED", 529 },
	{ "ERECALLCONFLICT", 530 },
	{ "ENOGRACE", 531 },
};

bool filter_errno(const char *name, int *number)
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (!strcmp(errors[i].name, name)) {
			*number = errors[i].number;
			return true;
		}
	return false;
}

/* --- values of fields ------------------------------------------------------------------- */

static const struct value_names *names_of(const struct filter_binder *b,
					  const struct event_field *field)
{
	struct record_text *texts = b->type ? trace_record_text(b->f->trace, b->file) : NULL;

	return texts ? record_text_names(texts, b->type, field) : NULL;
}

/*
 * If bits have names, and there is also one for "no bits" (R among the states of a task), the names
 * are the field's value except for a mark like the + after a state: compare only the bits with
 * names.
 */
struct bits {
	bool		has_zero;
	uint64_t	named;		/* without the mark */
	uint64_t	mark;		/* bit of the name "+"; 0 = none */
};

static struct bits bits_of(const struct value_names *names)
{
	struct bits bits = { .has_zero = false };

	for (unsigned int i = 0; i < names->nr; i++) {
		if (!strcmp(names->names[i].name, "+"))
			bits.mark = names->names[i].value;
		else if (!names->names[i].value)
			bits.has_zero = true;
		else
			bits.named |= names->names[i].value;
	}
	return bits;
}

static bool find_name(const struct value_names *names, const char *name, size_t len,
		      uint64_t *value)
{
	for (unsigned int i = 0; i < names->nr; i++)
		if (strlen(names->names[i].name) == len &&
		    !memcmp(names->names[i].name, name, len)) {
			*value = names->names[i].value;
			return true;
		}
	return false;
}

/* "GFP_KERNEL|__GFP_ZERO" */
static bool find_flags(const struct value_names *names, const char *name, uint64_t *value)
{
	*value = 0;
	for (;;) {
		size_t len = strcspn(name, "|");
		uint64_t one;

		if (!find_name(names, name, len, &one))
			return false;
		*value |= one;
		if (!name[len])
			return true;
		name += len + 1;
	}
}

bool filter_symbol(const struct filter_binder *b, const struct event_field *field, const char *name,
		   uint64_t *value, uint64_t *mask)
{
	const struct value_names *names = names_of(b, field);
	size_t len = strlen(name);
	struct bits bits;

	*mask = 0;
	if (!names || !len)
		return false;
	bits = bits_of(names);
	if (!names->flags)
		return find_name(names, name, len, value);
	if (bits.mark && bits.has_zero && len > 1 && name[len - 1] == '+' &&
	    find_name(names, name, len - 1, value)) {
		*value |= bits.mark;
		*mask = bits.named | bits.mark;
		return true;
	}
	if (!find_flags(names, name, value))
		return false;
	if (bits.has_zero && *value != bits.mark)
		*mask = bits.named;
	return true;
}

bool filter_shows_bits(const struct filter_binder *b, const struct event_field *field)
{
	const struct value_names *names = names_of(b, field);

	/* a state with its mark is one letter: R, preempted or not */
	return names && names->flags && !names->both && !bits_of(names).mark;
}

void filter_symbols_each(const struct filter_binder *b, const struct event_field *field,
			 void (*add)(void *arg, const char *name, uint64_t value, uint64_t mask),
			 void *arg)
{
	const struct value_names *names = names_of(b, field);

	for (unsigned int i = 0; names && i < names->nr; i++) {
		uint64_t value, mask;

		if (filter_symbol(b, field, names->names[i].name, &value, &mask))
			add(arg, names->names[i].name, value, mask);
	}
}

/* --- functions ---------------------------------------------------------------------------- */

static const struct kallsyms *kallsyms_of(struct filter_binder *b)
{
	struct printer *printer;

	if (!b->syms) {
		printer = trace_printer(b->f->trace, b->file);
		b->syms = printer ? printer_kallsyms(printer) : NULL;
	}
	return b->syms;
}

struct function_search {
	const struct filter_pattern *m;
	struct filter_scratch	*scratch;
	struct filter_set	*set;
	char			first;	/* all that matches begins with it; 0: not known */
};

static char first_of(const struct filter_pattern *m)
{
	bool begins = m->kind == FILTER_PATTERN_EQUAL || m->kind == FILTER_PATTERN_GLOB;

	return begins && m->len && !m->fold && !strchr("*?[\\", m->text[0]) ? m->text[0] : '\0';
}

/* "init_once [ext4]" */
static __attribute__((noinline)) bool is_wanted_of(struct function_search *search, const char *name,
						   uint32_t len, uint32_t module_len)
{
	char full[256];

	if (len + module_len + 3 > sizeof(full))
		return false;
	memcpy(full, name, len + 2 + module_len);
	full[len] = ' ';
	full[len + 2 + module_len] = ']';
	return filter_pattern_test(search->m, search->scratch, full, len + module_len + 3);
}

/* "init_once" or, as lists have it, with its module. */
static bool is_wanted(void *arg, const char *name, uint32_t len, uint32_t module_len)
{
	struct function_search *search = arg;

	if (search->first && *name != search->first)	/* most of 200,000 */
		return false;
	return filter_pattern_test(search->m, search->scratch, name, len) ||
	       (module_len && is_wanted_of(search, name, len, module_len));
}

static void add_function(void *arg, uint64_t first, uint64_t last)
{
	struct function_search *search = arg;

	filter_set_add(search->set, first, last);
}

bool filter_functions(struct filter_binder *b, const struct filter_node *n,
		      const struct filter_pattern *m, uint32_t *set)
{
	struct filter_note *note = &b->notes[n->id];
	const struct kallsyms *syms = kallsyms_of(b);
	struct function_search search = { .m = m, .first = first_of(m) };

	if (!note->functions) {
		search.set = mem_alloc(sizeof(*search.set));
		search.scratch = filter_scratch_new();
		if (syms)
			kallsyms_match(syms, is_wanted, add_function, &search);
		filter_scratch_free(search.scratch);
		note->functions = search.set->nr ? 1 : UINT32_MAX;
		if (search.set->nr)
			note->functions = 1 + filter_add_set(b->f, search.set);
		else
			free(search.set);
	}
	*set = note->functions - 1;
	return note->functions != UINT32_MAX;
}

struct near_function {
	struct filter_near *near;
	char		 name[64];
};

/*
 * Most misspelt names have the right first letter: comparing only those keeps this at a
 * millisecond.
 */
static bool may_be_near(void *arg, const char *name, uint32_t len, uint32_t module_len)
{
	struct near_function *f = arg;

	(void)module_len;
	if (len >= sizeof(f->name) || !len || *name != *f->near->name)
		return false;
	memcpy(f->name, name, len);
	f->name[len] = '\0';
	filter_near_add(f->near, f->name);
	return false;
}

static void no_address(void *arg, uint64_t first, uint64_t last)
{
	(void)arg;
	(void)first;
	(void)last;
}

void filter_near_functions(struct filter_binder *b, struct filter_near *near)
{
	const struct kallsyms *syms = kallsyms_of(b);

	if (syms)
		kallsyms_match(syms, may_be_near, no_address,
			       &(struct near_function){ .near = near });
}

const struct filter_pattern *filter_node_pattern(struct filter_binder *b,
						 const struct filter_node *n,
						 enum filter_pattern_kind kind, bool fold,
						 uint32_t *index)
{
	struct filter_note *note = &b->notes[n->id];
	struct filter_pattern *m;
	struct text posix = { 0 };
	bool ok;

	if (!note->pattern) {
		m = filter_add_pattern(b->f, index);
		note->pattern = 1 + *index;
		/* a quoted string after =~ has trace-cmd's syntax */
		if (kind == FILTER_PATTERN_REGEX && n->kind != FILTER_NODE_REGEX) {
			filter_posix_regex(n->text, n->len, &posix);
			ok = filter_pattern_init(m, kind, text_str(&posix), posix.len, true,
						 n->from, n->to, b->err);
		} else {
			ok = filter_pattern_init(m, kind, n->text, n->len, fold, n->from, n->to,
						 b->err);
		}
		text_fini(&posix);
		if (!ok)
			m->kind = FILTER_PATTERN_EQUAL;
	}
	*index = note->pattern - 1;
	return b->err && b->err->message.len ? NULL : b->f->patterns[*index];
}

const struct filter_pattern *filter_text_pattern(struct filter_binder *b, enum filter_op op,
						 const struct filter_node *n, uint32_t *index)
{
	bool is_regex = n->kind == FILTER_NODE_REGEX;

	if (!filter_node_has_text(n)) {
		const char *text = b->f->sources[b->source].text + n->from;
		int len = (int)(n->to - n->from);

		if (op != FILTER_OP_GLOB &&
		    (memchr(text, '*', (size_t)len) || memchr(text, '?', (size_t)len)))
			filter_wrong(b, n,
				     "a string is expected here, in quotes; for a glob: ~ \"%.*s\"",
				     len, text);
		else
			filter_wrong(b, n, "a string is expected here, in quotes: \"%.*s\"", len,
				     text);
		return NULL;
	}
	switch (op) {
	case FILTER_OP_MATCH:
	case FILTER_OP_NOT_MATCH:
		return filter_node_pattern(b, n, FILTER_PATTERN_REGEX, n->value, index);
	case FILTER_OP_GLOB:
		if (!is_regex)
			return filter_node_pattern(b, n, FILTER_PATTERN_GLOB, false, index);
		break;
	case FILTER_OP_CONTAINS:
		if (!is_regex)
			return filter_node_pattern(b, n, FILTER_PATTERN_CONTAINS, false, index);
		break;
	case FILTER_OP_EQ:
	case FILTER_OP_NE:
	case FILTER_OP_IN:
	case FILTER_OP_NOT_IN:
		if (!is_regex)
			return filter_node_pattern(b, n,
						   n->kind == FILTER_NODE_GLOB ?
							   FILTER_PATTERN_GLOB :
							   FILTER_PATTERN_EQUAL,
						   false, index);
		break;
	default:
		filter_wrong(b, n, "strings are compared with ==, !=, =~, !~, ~, contains and in");
		return NULL;
	}
	filter_wrong(b, n, "a regular expression is only allowed after =~ or !~");
	return NULL;
}

void filter_near_errors(struct filter_near *near)
{
	for (size_t i = 0; near->name[0] == 'E' && i < sizeof(errors) / sizeof(errors[0]); i++)
		filter_near_add(near, errors[i].name);
}
