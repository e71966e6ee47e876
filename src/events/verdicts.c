/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/events/verdicts.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include "src/base/man.h"

static const struct {
	const char	*words, *holds, *needs, *without;
} verdicts[] = {
#define SECTION(title)
#define VERDICT(name, words, holds, needs, without)						\
	[VERDICT_##name] = { words, holds, needs, without },
#include "src/events/verdicts.def"
#undef SECTION
#undef VERDICT
};

const char *verdict_words(enum verdict v, bool inferred)
{
	const char *words = verdicts[v].words;

	return words + (*words == '~' && !inferred);
}

void verdict_add(struct text *out, enum verdict v, ...)
{
	const char *at = verdict_words(v, false), *place;
	va_list args;

	va_start(args, v);
	for (; (place = strchr(at, '{')); at = strchr(place, '}') + 1) {
		text_bytes(out, at, (size_t)(place - at));
		if (!strncmp(place, "{number}", 8))
			text_printf(out, "%d", va_arg(args, int));
		else
			text_add(out, va_arg(args, const char *));
	}
	va_end(args);
	text_add(out, at);
}

/* --- the manual page -------------------------------------------------------------------------- */

/* "CPU taken by TASK" */
static void print_verdict(enum verdict v, FILE *out)
{
	const char *needs = verdicts[v].needs, *without = verdicts[v].without;
	struct text name = { 0 }, about = { 0 };
	bool inside = false;

	for (const char *c = verdict_words(v, false); *c; c++) {
		inside = *c == '{' || (inside && *c != '}');
		if (*c != '{' && *c != '}')
			text_char(&name, (char)(inside ? toupper((unsigned char)*c) : *c));
	}
	text_add(&about, verdicts[v].holds);
	if (*needs)
		text_printf(&about, " Needs %s.", needs);
	if (*without)
		text_printf(&about, " Otherwise %s.", without);
	man_pair(text_str(&name) + strspn(text_str(&name), ", "), text_str(&about), out);
	text_fini(&name);
	text_fini(&about);
}

void verdicts_page(FILE *out)
{
	man_begin("ftop-trace-verdicts", "7", "what ftop-trace says about who, why and how long",
		  out);
	man_section("DESCRIPTION", out);
	man_text(
		"The sentences of why, Timeline, Latency and Summary about tasks, and when each of\n"
		"them is true. Words in capitals stand for names and numbers. A ~ marks what was\n"
		"inferred or is doubtful.\n",
		out);
#define SECTION(title) man_section(title, out);
#define VERDICT(name, ...) print_verdict(VERDICT_##name, out);
#include "src/events/verdicts.def"
#undef SECTION
#undef VERDICT
	man_end("ftop-trace-verdicts", out);
}
