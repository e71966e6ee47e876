/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_json - the bytes as lines that the recorder, list and doctor print for the screen. */
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/json.h"
#include "src/recording/capabilities.h"
#include "src/recording/record_progress.h"

const char fuzz_name[] = "fuzz_json";

/* Every value lies in the one that holds it. */
static void walk(const struct json *value, int depth)
{
	static const char *const names[] = { "name", "type", "cpus", "fields", "", "checks" };
	struct text out = { 0 };
	struct json inner;
	const char *next = value->at;
	uint64_t number;

	assert(value->len && depth <= JSON_MAX_DEPTH);
	json_number(value, &number);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		json_get_string(value, names[i], &out);
		json_is(value, names[i], "begin");
		if (!json_member(value, names[i], &inner))
			continue;
		assert(inner.at > value->at && inner.len < value->len);
		walk(&inner, depth + 1);
	}
	while (json_element(value, &next, &inner)) {
		assert(inner.at > value->at && inner.at + inner.len < value->at + value->len);
		walk(&inner, depth + 1);
	}
	text_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *bytes = malloc(size ? size : 1);	/* no byte behind them */
	struct record_progress progress = { 0 };
	struct capabilities caps = { 0 };
	struct json value;

	assert(bytes);
	memcpy(bytes, data, size);
	for (size_t at = 0, len; at < size; at += len + 1) {
		const char *end = memchr(bytes + at, '\n', size - at);

		len = end ? (size_t)(end - bytes) - at : size - at;
		if (json_parse(bytes + at, len, &value))
			walk(&value, 0);
		record_progress_line(&progress, bytes + at, len);
		capabilities_line(&caps, bytes + at, len);
	}
	capabilities_has(&caps, CAPABILITY_TRACER, "function");
	capabilities_obstacle(&caps);
	capabilities_wants_root(&caps);
	capabilities_nr_refused(&caps);
	capabilities_fini(&caps);
	record_progress_fini(&progress);
	free(bytes);
	return 0;
}

static const char *const seeds[] = {
	"{\"type\":\"begin\",\"pid\":71,\"file\":\"a\\u00e9.dat\",\"part\":\"a.dat.part\"}\n"
	"{\"type\":\"status\",\"time_ns\":1000000,\"bytes\":4096,\"file_bytes\":8192,\"events\":9,"
	"\"events_per_s\":5,\"lost\":1,\"needs_kb\":1408,\"cpus\":[{\"cpu\":0,\"fill_percent\":7,"
	"\"events\":9,\"lost\":1},{\"cpu\":1,\"fill_percent\":0,\"events\":0,\"lost\":0}]}\n"
	"{\"type\":\"note\",\"text\":\"tab\\tnewline\\n\\ud83d\\ude00\"}\n{\"type\":\"stopped\"}\n"
	"{\"type\":\"packing\",\"done_bytes\":1,\"total_bytes\":18446744073709551615}\n"
	"{\"type\":\"end\",\"ok\":true,\"written\":true,\"partial\":false,\"command_status\":3,"
	"\"file\":\"a.dat\",\"stopped_by\":\"Ctrl-C\",\"error\":\"no\"}\n",
	"{\"kind\":\"tracer\",\"name\":\"function_graph\",\"set\":false}\n"
	"{\"kind\":\"clock\",\"name\":\"local\",\"set\":true}\n"
	"{\"kind\":\"option\",\"name\":\"stacktrace\",\"set\":true}\n"
	"{\"kind\":\"function\",\"name\":\"ext4_map_blocks\",\"module\":\"ext4\"}\n"
	"{\"kind\":\"event\",\"system\":\"sched\",\"name\":\"sched_wakeup\",\"set\":false,\"id\":1,"
	"\"fields\":[{\"name\":\"common_pid\",\"type\":\"int\"},{\"name\":\"comm\",\"type\":"
	"\"char[16]\"},{\"name\":\"pid\",\"type\":\"pid_t\"}],\"print_fmt\":\"\\\"comm=%s\\\"\"}\n",
	"{\"kernel\":\"6.1.0\",\"checks\":[{\"name\":\"root\",\"state\":\"no\",\"cause\":\"rights\","
	"\"text\":\"not root\",\"remedy\":\"sudo\"}]}\n[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]\n"
	"{\"a\": [1, -2.5e3, null, true, false, \"\\\\\", {}]}\n",
};

void fuzz_seeds(void (*add)(void *arg, const void *data, size_t size), void *arg)
{
	for (size_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++)
		add(arg, seeds[i], strlen(seeds[i]));
}
