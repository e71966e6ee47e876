/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_regex - the bytes as a regular expression: what is said that it has to have is in every line
 * that it matches, and no expression takes longer than its limit of steps lets it.
 */
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "src/filter/filter_pattern.h"
#include "src/base/memory.h"
#include "src/filter/regex_literals.h"
#include "src/base/text.h"

const char fuzz_name[] = "fuzz_regex";

static const char *const lines[] = {
	"",
	"            bash-1234  [001]  3716.849245: sched_switch:         bash:1234 [120] S ==> swapper/1:0 [120]",
	"          <idle>-0     [000]  3716.849247: sys_exit_write:       0x1",
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab",
	"abababab 0123 [x] (y) {z} a.b*c+d?e|f^g$h",
};

static bool has(const struct regex_literals *l, const char *s, size_t len)
{
	for (unsigned int i = 0; i < l->nr; i++) {
		bool any = false;

		assert(l->sets[i].nr && l->sets[i].nr <= REGEX_LITERAL_WORDS);
		for (unsigned int k = 0; k < l->sets[i].nr; k++) {
			assert(l->sets[i].words[k].len);
			any |= memmem(s, len, l->sets[i].words[k].s, l->sets[i].words[k].len) !=
			       NULL;
		}
		if (!any)
			return false;
	}
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct filter_scratch *scratch = filter_scratch_new();
	struct filter_error err = { 0 };
	struct regex_literals literals;
	struct filter_pattern m;

	if (filter_pattern_init(&m, FILTER_PATTERN_REGEX_LINES, (const char *)data, size, false, 0,
				size, &err)) {
		regex_literals_init(&literals, (const char *)data, size);
		for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
			if (filter_pattern_test(&m, scratch, lines[i], strlen(lines[i])))
				assert(has(&literals, lines[i], strlen(lines[i])));
		/* on itself */
		if (size && filter_pattern_test(&m, scratch, (const char *)data, size))
			assert(has(&literals, (const char *)data, size));
		regex_literals_fini(&literals);
	} else {
		assert(err.message.len);
	}
	filter_pattern_fini(&m);
	text_fini(&err.message);
	filter_scratch_free(scratch);
	return 0;
}

static const char *const seeds[] = {
	"sched_(switch|wakeup): .*120", "^ +[a-z]+-[0-9]+ +\\[001\\]", "(a+)+b|(?:a|aa)+$",
	"(?<=: )sys_(?!exit)\\w+",
	"[]a-z[:alpha:]^-]{2,5}?x*+", "(?i)BASH|\\x41\\Q*\\E\\1",
	"((((a?){3}b+){2,}c|d)*e|[^\\]]f)g", "\\t\\d\\.\\[\\(\\{\\|",
};

void fuzz_seeds(void (*add)(void *arg, const void *data, size_t size), void *arg)
{
	for (size_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++)
		add(arg, seeds[i], strlen(seeds[i]));
}
