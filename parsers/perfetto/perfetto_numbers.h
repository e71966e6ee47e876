/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PERFETTO_PERFETTO_NUMBERS_H
#define FTOP_PARSERS_PERFETTO_PERFETTO_NUMBERS_H
/*
 * perfetto_numbers - numbers of the fields of Perfetto's messages that are read here, and written
 * by src/export.  They are in its published files below protos/perfetto; events of ftrace are in
 * ftrace.events.
 */

/* trace/trace.proto, trace/trace_packet.proto */
enum { TRACE_PACKET = 1 };
enum {
	PACKET_FTRACE_EVENTS = 1, PACKET_PROCESS_TREE = 2, PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8, PACKET_PROCESS_STATS = 9, PACKET_SEQUENCE = 10,
	PACKET_TRACK_EVENT = 11, PACKET_INTERNED_DATA = 12, PACKET_FLAGS = 13,
	PACKET_FTRACE_STATS = 34, PACKET_CLEARED = 41, PACKET_DROPPED = 42,
	PACKET_THREAD = 44, PACKET_SYSTEM_INFO = 45, PACKET_COMPRESSED = 50, PACKET_CLOCK = 58,
	PACKET_DEFAULTS = 59, PACKET_TRACK_DESCRIPTOR = 60, PACKET_ZSTD = 133,
};
enum { FLAGS_CLEARED = 1, FLAGS_NEEDS_STATE = 2 };	/* bits of PACKET_FLAGS */
enum { DEFAULTS_TRACK_EVENT = 11, DEFAULTS_CLOCK = 58 };

/* trace/clock_snapshot.proto, common/builtin_clock.proto */
enum { SNAPSHOT_CLOCK = 1, SNAPSHOT_PRIMARY = 2 };
enum { CLOCK_NUMBER = 1, CLOCK_TIME = 2, CLOCK_IS_INCREMENTAL = 3, CLOCK_UNIT = 4 };
enum { CLOCK_IS_REALTIME = 1, CLOCK_IS_MONOTONIC = 3, CLOCK_IS_RAW = 5, CLOCK_IS_BOOTTIME = 6 };

/* common/system_info.proto */
enum { SYSTEM_UTSNAME = 1, SYSTEM_CPUS = 8 };
enum { UTSNAME_SYSNAME = 1, UTSNAME_RELEASE = 3, UTSNAME_MACHINE = 4 };

/* trace/ps/process_tree.proto, trace/ps/process_stats.proto */
enum { TREE_PROCESS = 1, TREE_THREAD = 2 };
enum {
	PROCESS_PID = 1, PROCESS_PARENT = 2, PROCESS_COMMAND = 3, PROCESS_UID = 5,
	PROCESS_IS_KTHREAD = 8, PROCESS_IS_COMM = 9,
};
enum { THREAD_TID = 1, THREAD_NAME = 2, THREAD_TGID = 3 };
enum { STATS_PROCESS = 1 };
enum { PROCESS_STATS_PID = 1, PROCESS_STATS_THREAD = 11 };

/* trace/ftrace/ftrace_stats.proto */
enum { STATS_PHASE = 1, STATS_CPU = 2 };
enum { STATS_IS_START = 1, STATS_IS_END = 2 };
enum { CPU_STATS_CPU = 1, CPU_STATS_OVERRUN = 3, CPU_STATS_DROPPED = 8 };

/* trace/ftrace/ftrace_event_bundle.proto */
enum {
	BUNDLE_CPU = 1, BUNDLE_EVENT = 2, BUNDLE_LOST = 3, BUNDLE_COMPACT = 4, BUNDLE_CLOCK = 5,
	BUNDLE_FTRACE_TIME = 6, BUNDLE_BOOT_TIME = 7, BUNDLE_DESCRIPTORS = 11,
};
enum { BUNDLE_CLOCK_IS_RAW = 4 };
#define FIRST_DESCRIBED_EVENT	65536u	/* numbers from here on are those that a trace describes */
enum {
	SWITCH_TIME = 1, SWITCH_STATE = 2, SWITCH_PID = 3, SWITCH_PRIO = 4, COMPACT_NAMES = 5,
	SWITCH_NAME = 6, WAKING_TIME = 7, WAKING_PID = 8, WAKING_CPU = 9, WAKING_PRIO = 10,
	WAKING_NAME = 11, WAKING_FLAGS = 12, COMPACT_NUMBERS = 13,
};
enum { DESCRIPTOR_NUMBER = 1, DESCRIPTOR_EVENT = 2, DESCRIPTOR_GROUP = 3 };
enum { EVENT_TIMESTAMP = 1, EVENT_PID = 2, EVENT_FLAGS = 5 };
enum { EVENT_IS_PRINT = 3, EVENT_IS_SWITCH = 4, EVENT_IS_WAKING = 20, EVENT_IS_GENERIC = 327 };

/* trace/ftrace/generic.proto */
enum { GENERIC_NAME = 1, GENERIC_FIELD = 2 };
enum { GENERIC_FIELD_NAME = 1, GENERIC_STRING = 3, GENERIC_INT = 4, GENERIC_UINT = 5 };

/* descriptor.proto of protobuf: a message, its fields, and what a field holds */
enum { MESSAGE_NAME = 1, MESSAGE_FIELD = 2 };
enum { FIELD_NAME = 1, FIELD_NUMBER = 3, FIELD_LABEL = 4, FIELD_TYPE = 5 };
enum { LABEL_OPTIONAL = 1, LABEL_REPEATED = 3 };
enum {
	TYPE_DOUBLE = 1, TYPE_INT64 = 3, TYPE_UINT64 = 4, TYPE_INT32 = 5, TYPE_FIXED64 = 6,
	TYPE_FIXED32 = 7, TYPE_BOOL = 8, TYPE_STRING = 9, TYPE_BYTES = 12, TYPE_UINT32 = 13,
};

/* trace/interned_data/interned_data.proto */
enum {
	INTERNED_EVENT_NAMES = 2, INTERNED_VALUE_NAMES = 3, INTERNED_SYMBOLS = 26,
	INTERNED_VALUES = 29,
};
enum { INTERNED_IID = 1, INTERNED_STRING = 2 };

/* trace/track_event: track_descriptor.proto, …, track_event.proto */
enum {
	TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PROCESS = 3, TRACK_THREAD = 4, TRACK_PARENT = 5,
	TRACK_COUNTER = 8, TRACK_IS_OWN = 9, TRACK_STATIC_NAME = 10, TRACK_ATRACE_NAME = 13,
};
enum { TRACK_PROCESS_PID = 1, TRACK_PROCESS_NAME = 6 };
enum { TRACK_THREAD_PID = 1, TRACK_THREAD_TID = 2, TRACK_THREAD_NAME = 5 };
enum { COUNTER_UNIT = 4, COUNTER_IS_INCREMENTAL = 5 };
enum {
	SLICE_VALUE = 4, SLICE_TYPE = 9, SLICE_NAME_IID = 10, SLICE_TRACK = 11, SLICE_NAME = 23,
	SLICE_COUNT = 30, SLICE_DOUBLE = 44,
};
enum { SLICE_BEGIN = 1, SLICE_END = 2, INSTANT = 3, COUNTER = 4 };	/* SLICE_TYPE */
enum { VALUE_NAME_IID = 1, VALUE_STRING_IID = 17 };
#endif
