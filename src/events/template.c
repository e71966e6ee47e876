/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/events/template.h"

#include <inttypes.h>
#include <string.h>

/* --- parts ---------------------------------------------------------------------------------- */

bool template_next(const char **at, struct template_part *part)
{
	const char *s = *at, *end;

	*part = (struct template_part){ .text = s, .how = "" };
	if (!*s)
		return false;
	s += strcspn(s, "{");
	part->text_len = (size_t)(s - *at);
	end = *s ? strchr(s, '}') : NULL;
	if (s[0] == '{' && s[1] == '{') {
		part->text_len++;
		*at = s + 2;
	} else if (end) {
		part->name = s + 1;
		part->name_len = strcspn(s + 1, ":}");
		if (part->name[part->name_len] == ':') {
			part->how = part->name + part->name_len + 1;
			part->how_len = (size_t)(end - part->how);
		}
		*at = end + 1;
	} else {
		part->text_len += strlen(s);
		*at = s + strlen(s);
	}
	return true;
}

static bool is_word(const char *s, size_t len, const char *word)
{
	return strlen(word) == len && !memcmp(s, word, len);
}

bool template_name_is(const struct template_part *part, const char *name)
{
	return part->name && is_word(part->name, part->name_len, name);
}

bool template_how_is(const struct template_part *part, const char *how)
{
	return is_word(part->how, part->how_len, how);
}

bool template_shows(const char *template, const char *name)
{
	struct template_part part;

	while (template_next(&template, &part))
		if (template_name_is(&part, name))
			return true;
	return false;
}

const char *const template_kinds[TEMPLATE_KINDS] = {
	"number", "int", "address", "comm", "string", "state", "symbol", "stack", "", "seconds",
	"device", "action", "sectors", "access", "hit", "octal", "char", "args", "printed",
};

/* --- numbers -------------------------------------------------------------------------------- */

static void add_ns(int64_t ns, struct text *out)
{
	struct text t = { 0 };

	text_duration(&t, (uint64_t)ns);
	text_trimmed(out, &t);
	text_fini(&t);
}

static void add_us(int64_t us, struct text *out)
{
	int64_t ns;

	add_ns(__builtin_mul_overflow(us, 1000, &ns) ? INT64_MAX : ns, out);
}

static void add_hex(int64_t value, struct text *out)
{
	text_printf(out, "0x%" PRIx64, (uint64_t)value);
}

/* ": -11 EAGAIN" where something failed, ": 3" where it did not. */
static void add_result(int64_t value, struct text *out)
{
	const char *name = text_error_name(value);

	text_printf(out, ": %" PRId64, value);
	if (value < 0 && value >= -4095)
		text_printf(out, " %s", name ? name : strerror((int)-value));
}

/* As add_result(), but nothing for 0. */
static void add_error(int64_t value, struct text *out)
{
	if (value)
		add_result(value, out);
}

static void add_signal(int64_t value, struct text *out)
{
	static const char *const names[] = {
		"0",	"HUP",	"INT",	"QUIT", "ILL",	"TRAP",	  "ABRT",   "BUS",  "FPE",
		"KILL", "USR1", "SEGV", "USR2", "PIPE", "ALRM",	  "TERM",   "STKFLT", "CHLD",
		"CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG",	  "XCPU",   "XFSZ", "VTALRM",
		"PROF", "WINCH", "IO",	"PWR",	"SYS",
	};

	if (value > 0 && value < (int64_t)(sizeof(names) / sizeof(names[0])))
		text_printf(out, "SIG%s", names[value]);
	else
		text_printf(out, "signal %" PRId64, value);
}

static void add_pages(int64_t order, struct text *out)
{
	if (order > 0 && order < 32)
		text_printf(out, "%lld pages", 1LL << order);
	else
		text_add(out, "a page");
}

/* Bits of x86: protection, write, user, reserved, instruction. */
static void add_fault(int64_t code, struct text *out)
{
	text_add(out, code & 0x10 ? "to execute" : code & 2 ? "to write" : "to read");
	text_add(out, code & 1 ? ", which is not allowed" : ", where no page is mapped yet");
}

static void add_idle(int64_t state, struct text *out)
{
	if (state == UINT32_MAX)
		text_add(out, "leaves its idle state");
	else
		text_printf(out, "enters idle state %" PRId64, state);
}

static const struct number_way {
	const char	*name;
	void		(*add)(int64_t value, struct text *out);
	bool		 is_optional;
} ways[] = {
	{ "ns", add_ns, false },
	{ "us", add_us, false },
	{ "hex", add_hex, false },
	{ "result", add_result, true },
	{ "error", add_error, true },
	{ "signal", add_signal, false },
	{ "pages", add_pages, false },
	{ "fault", add_fault, false },
	{ "idle", add_idle, false },
};

static const struct number_way *find_way(const struct template_part *part)
{
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (template_how_is(part, ways[i].name))
			return &ways[i];
	return NULL;
}

/* "no|yes": the texts of 0 and 1, the last one also of all other numbers; "": the number. */
static bool add_choice(const struct template_part *part, int64_t value, struct text *out)
{
	const char *choice = part->how, *end = part->how + part->how_len, *bar;

	for (; (bar = memchr(choice, '|', (size_t)(end - choice))) && value; value--)
		choice = bar + 1;
	bar = bar ?: end;
	text_bytes(out, choice, (size_t)(bar - choice));
	return bar > choice;
}

bool template_is_number(const struct template_part *part)
{
	return find_way(part) || memchr(part->how, '|', part->how_len);
}

bool template_is_optional(const struct template_part *part)
{
	const struct number_way *way = find_way(part);

	return way && way->is_optional;
}

bool template_add_number(const struct template_part *part, int64_t value, struct text *out)
{
	const struct number_way *way = find_way(part);

	if (way)
		way->add(value, out);
	return way || (memchr(part->how, '|', part->how_len) && add_choice(part, value, out));
}
