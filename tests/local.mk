# The tests.  A new one is a line in one of these lists; its source has its name.  See README.md.
#
# Every program prints TAP (cmocka does with CMOCKA_MESSAGE_OUTPUT=TAP).
# parser_programs   need nothing above parsers/; they also run as 32-bit programs
# program_tests     need more of the program
# thread_programs   those of the two that start threads; they run once more under tsan
# fuzz_programs     mutate what parsers read; ./dev test fuzz runs them with libFuzzer
# long_tests        those of the others that do more with FTOP_TEST_LONG=1, and tables_engines.py, which needs it
# check_scripts     ask the whole program, or look at the tree
# screen_tests      the real program in a pseudo-terminal (tests/screens/*.test: run.py)
parser_programs = \
	tests/unit/test_archive \
	tests/unit/test_btf \
	tests/unit/test_chunks \
	tests/unit/test_comm_table \
	tests/unit/test_damage \
	tests/unit/test_event_format \
	tests/unit/test_event_types \
	tests/unit/test_format_pattern \
	tests/unit/test_index_map \
	tests/unit/test_event_header \
	tests/unit/test_kallsyms \
	tests/unit/test_known_events \
	tests/unit/test_line_pages \
	tests/unit/test_line_types \
	tests/unit/test_memory \
	tests/unit/test_merge \
	tests/unit/test_options \
	tests/unit/test_page_cache \
	tests/unit/test_page_reader \
	tests/unit/test_page_scan \
	tests/unit/test_page_sequence \
	tests/unit/test_ctf_source \
	tests/unit/test_perf_source \
	tests/unit/test_perfetto_source \
	tests/unit/test_print_format \
	tests/unit/test_print_number \
	tests/unit/test_printk \
	tests/unit/test_raw_page \
	tests/unit/test_read_at \
	tests/unit/test_report_comms \
	tests/unit/test_rewrite \
	tests/unit/test_sched_text \
	tests/unit/test_source \
	tests/unit/test_spool \
	tests/unit/test_sub_buffer \
	tests/unit/test_sub_buffer_gen \
	tests/unit/test_template \
	tests/unit/test_text \
	tests/unit/test_text_pattern \
	tests/unit/test_text_trace \
	tests/unit/test_tgid_table \
	tests/unit/test_who_table \
	tests/unit/test_trace_file \
	tests/unit/test_own_section \
	tests/unit/test_trace_file_damage \
	tests/unit/test_trace_fixtures \
	tests/unit/test_trace_writer \
	tests/unit/test_user_symbols \
	tests/unit/test_workers
program_tests = \
	tests/unit/test_await \
	tests/unit/test_away_story \
	tests/unit/test_broker \
	tests/unit/test_broker_confirm \
	tests/unit/test_call_compare \
	tests/unit/test_call_cost \
	tests/unit/test_call_facts \
	tests/unit/test_call_guess \
	tests/unit/test_call_instances \
	tests/unit/test_call_paths \
	tests/unit/test_call_team \
	tests/unit/test_call_tree \
	tests/unit/test_call_window \
	tests/unit/test_canvas \
	tests/unit/test_capabilities \
	tests/unit/test_census \
	tests/unit/test_child \
	tests/unit/test_columns \
	tests/unit/test_cpu_groups \
	tests/unit/test_cpu_reader \
	tests/unit/test_config_file \
	tests/unit/test_comms \
	tests/unit/test_confine \
	tests/unit/test_derived_values \
	tests/unit/test_doctor \
	tests/unit/test_duration_set \
	tests/unit/test_dynamic_event \
	tests/unit/test_elf_names \
	tests/unit/test_event_counts \
	tests/unit/test_event_sweep \
	tests/unit/test_file_names \
	tests/unit/test_file_place \
	tests/unit/test_output_names \
	tests/unit/test_filter_complete \
	tests/unit/test_filter_kernel \
	tests/unit/test_filter_named \
	tests/unit/test_filter_page \
	tests/unit/test_filter_parse \
	tests/unit/test_filter_random \
	tests/unit/test_filter_terms \
	tests/unit/test_filter_text \
	tests/unit/test_filter_value \
	tests/unit/test_flame \
	tests/unit/test_function_job \
	tests/unit/test_goto \
	tests/unit/test_graph_rows \
	tests/unit/test_guard \
	tests/unit/test_grow_cases \
	tests/unit/test_grow_models \
	tests/unit/test_grow_tables \
	tests/unit/test_grow_graph \
	tests/unit/test_grow_told \
	tests/unit/test_grow_timeline \
	tests/unit/test_grow_until \
	tests/unit/test_hits \
	tests/unit/test_instance \
	tests/unit/test_journal \
	tests/unit/test_json \
	tests/unit/test_json_out \
	tests/unit/test_kept \
	tests/unit/test_kernel_config \
	tests/unit/test_last_boot \
	tests/unit/test_kernel_window \
	tests/unit/test_keymap \
	tests/unit/test_latency_kinds \
	tests/unit/test_list \
	tests/unit/test_lock_probes \
	tests/unit/test_lock_wait \
	tests/unit/test_list_window \
	tests/unit/test_matches \
	tests/unit/test_matching \
	tests/unit/test_max_records \
	tests/unit/test_measure \
	tests/unit/test_name_list \
	tests/unit/test_output \
	tests/unit/test_page_types \
	tests/unit/test_parquet \
	tests/unit/test_places \
	tests/unit/test_plan_boot \
	tests/unit/test_plan_functions \
	tests/unit/test_print_program \
	tests/unit/test_printer \
	tests/unit/test_probe_misses \
	tests/unit/test_saved_boot \
	tests/unit/test_prompt \
	tests/unit/test_pyramid \
	tests/unit/test_record_bound \
	tests/unit/test_record_packer \
	tests/unit/test_record_plan \
	tests/unit/test_record_screen \
	tests/unit/test_record_setup \
	tests/unit/test_refusal \
	tests/unit/test_regex_literals \
	tests/unit/test_ring_stats \
	tests/unit/test_report_access \
	tests/unit/test_report_blocks \
	tests/unit/test_row_cursor \
	tests/unit/test_rows \
	tests/unit/test_sched_feed \
	tests/unit/test_sched_rules \
	tests/unit/test_sched_values \
	tests/unit/test_search \
	tests/unit/test_series \
	tests/unit/test_shell_words \
	tests/unit/test_small_file \
	tests/unit/test_spawner \
	tests/unit/test_static_locale \
	tests/unit/test_status_stream \
	tests/unit/test_steal_watch \
	tests/unit/test_stream_walk \
	tests/unit/test_system_counts \
	tests/unit/test_table \
	tests/unit/test_table_out \
	tests/unit/test_task_table \
	tests/unit/test_theme \
	tests/unit/test_time_option \
	tests/unit/test_timeline \
	tests/unit/test_timeline_plot \
	tests/unit/test_timeline_text \
	tests/unit/test_trace \
	tests/unit/test_trace_changes \
	tests/unit/test_trace_clock \
	tests/unit/test_trace_grow \
	tests/unit/test_trace_order \
	tests/unit/test_trace_head \
	tests/unit/test_trace_text \
	tests/unit/test_tracefs_dir \
	tests/unit/test_trace_user \
	tests/unit/test_user_maps \
	tests/unit/test_value_column \
	tests/unit/test_view_host \
	tests/unit/test_views \
	tests/unit/test_words
thread_programs = \
	tests/unit/test_await \
	tests/unit/test_call_facts \
	tests/unit/test_call_instances \
	tests/unit/test_call_team \
	tests/unit/test_call_window \
	tests/unit/test_comm_table \
	tests/unit/test_cpu_reader \
	tests/unit/test_event_counts \
	tests/unit/test_event_sweep \
	tests/unit/test_event_types \
	tests/unit/test_format_pattern \
	tests/unit/test_function_job \
	tests/unit/test_grow_cases \
	tests/unit/test_grow_models \
	tests/unit/test_grow_tables \
	tests/unit/test_grow_graph \
	tests/unit/test_grow_told \
	tests/unit/test_grow_timeline \
	tests/unit/test_grow_until \
	tests/unit/test_matches \
	tests/unit/test_page_reader \
	tests/unit/test_page_types \
	tests/unit/test_report_blocks \
	tests/unit/test_sched_feed \
	tests/unit/test_sched_values \
	tests/unit/test_series \
	tests/unit/test_task_table \
	tests/unit/test_timeline \
	tests/unit/test_trace \
	tests/unit/test_trace_changes \
	tests/unit/test_trace_grow \
	tests/unit/test_trace_user \
	tests/unit/test_trace_writer \
	tests/unit/test_workers
parser_fuzz_programs = \
	tests/fuzz/fuzz_container \
	tests/fuzz/fuzz_event_header \
	tests/fuzz/fuzz_format \
	tests/fuzz/fuzz_print_format \
	tests/fuzz/fuzz_sub_buffer \
	tests/fuzz/fuzz_texts \
	tests/fuzz/fuzz_unpack
fuzz_programs = $(parser_fuzz_programs)
if !PARSERS_ONLY
fuzz_programs += \
	tests/fuzz/fuzz_broker \
	tests/fuzz/fuzz_ctf \
	tests/fuzz/fuzz_elf \
	tests/fuzz/fuzz_filter \
	tests/fuzz/fuzz_hist \
	tests/fuzz/fuzz_journal \
	tests/fuzz/fuzz_json \
	tests/fuzz/fuzz_library \
	tests/fuzz/fuzz_lines \
	tests/fuzz/fuzz_marks \
	tests/fuzz/fuzz_perf \
	tests/fuzz/fuzz_perfetto \
	tests/fuzz/fuzz_record \
	tests/fuzz/fuzz_recover \
	tests/fuzz/fuzz_regex \
	tests/fuzz/fuzz_report \
	tests/fuzz/fuzz_rows \
	tests/fuzz/fuzz_settings \
	tests/fuzz/fuzz_views
endif
long_tests = \
	tests/attack/faults.py \
	tests/attack/mutants.py \
	tests/compare/cut.py \
	tests/compare/dropped.py \
	tests/compare/filter_calls.py \
	tests/compare/filter_options.py \
	tests/compare/function_tree.py \
	tests/compare/functions.py \
	tests/compare/graph.py \
	tests/compare/groups.py \
	tests/compare/latency.py \
	tests/compare/limit_cuts.py \
	tests/compare/limit_probes.py \
	tests/compare/limits.py \
	tests/compare/locks.py \
	tests/compare/noise.py \
	tests/compare/own_tasks.py \
	tests/compare/perf.py \
	tests/compare/perf_text.py \
	tests/compare/perfetto.py \
	tests/compare/report_ahead.py \
	tests/compare/report_filter.py \
	tests/compare/report_grep.py \
	tests/compare/report_parity.py \
	tests/compare/report_rows.py \
	tests/compare/report_windows.py \
	tests/compare/requests.py \
	tests/compare/sched.py \
	tests/compare/sched_names.py \
	tests/compare/stacks.py \
	tests/compare/tables.py \
	tests/compare/tables_engines.py \
	tests/compare/text_options.py \
	tests/compare/why.py \
	tests/program/cut_off.py \
	tests/unit/test_call_window \
	tests/unit/test_comm_table \
	tests/unit/test_damage \
	tests/unit/test_filter_page \
	tests/unit/test_filter_random \
	tests/unit/test_filter_text \
	tests/unit/test_grow_models \
	tests/unit/test_grow_tables \
	tests/unit/test_grow_graph \
	tests/unit/test_grow_told \
	tests/unit/test_grow_timeline \
	tests/unit/test_grow_until \
	tests/unit/test_hits \
	tests/unit/test_index_map \
	tests/unit/test_matches \
	tests/unit/test_print_program \
	tests/unit/test_regex_literals \
	tests/unit/test_report_blocks \
	tests/unit/test_rewrite \
	tests/unit/test_row_cursor \
	tests/unit/test_stream_walk \
	tests/unit/test_timeline \
	tests/unit/test_trace \
	tests/unit/test_trace_changes \
	tests/unit/test_trace_fixtures \
	tests/unit/test_trace_grow \
	tests/unit/test_who_table
check_scripts = \
	tests/attack/faults.py \
	tests/attack/mutants.py \
	tests/check/exports.py \
	tests/check/features.py \
	tests/check/format.py \
	tests/check/layers.py \
	tests/check/map.py \
	tests/check/rules.py \
	tests/check/tap-driver.sh \
	tests/compare/check.py \
	tests/compare/counts.py \
	tests/compare/cpus.py \
	tests/compare/ctf.py \
	tests/compare/cut.py \
	tests/compare/diff.py \
	tests/compare/dropped.py \
	tests/compare/event_header.py \
	tests/compare/filter_calls.py \
	tests/compare/filter_options.py \
	tests/compare/function_tree.py \
	tests/compare/functions.py \
	tests/compare/graph.py \
	tests/compare/graph_options.py \
	tests/compare/hist.py \
	tests/compare/info.py \
	tests/compare/kinds.py \
	tests/compare/latency.py \
	tests/compare/locks.py \
	tests/compare/noise.py \
	tests/compare/own_tasks.py \
	tests/compare/perf.py \
	tests/compare/perf_functions.py \
	tests/compare/perf_text.py \
	tests/compare/perfetto.py \
	tests/compare/report_ahead.py \
	tests/compare/report_filter.py \
	tests/compare/report_grep.py \
	tests/compare/report_kernel.py \
	tests/compare/report_parity.py \
	tests/compare/report_rows.py \
	tests/compare/report_windows.py \
	tests/compare/requests.py \
	tests/compare/sched.py \
	tests/compare/sched_names.py \
	tests/compare/stacks.py \
	tests/compare/steal.py \
	tests/compare/summary.py \
	tests/compare/tables.py \
	tests/compare/text.py \
	tests/compare/text_formats.py \
	tests/compare/text_options.py \
	tests/compare/tgid.py \
	tests/compare/symbols.py \
	tests/compare/user_symbols.py \
	tests/compare/why.py \
	tests/program/absences.py \
	tests/program/commands.py \
	tests/program/completion.py \
	tests/program/cut_off.py \
	tests/program/from_other_tools.py \
	tests/program/hostile.py \
	tests/program/json_keys.py \
	tests/program/library.py \
	tests/program/names.py \
	tests/program/openings.py \
	tests/program/pipe.py \
	tests/program/random_keys.py \
	tests/program/rights.py \
	tests/program/sentences.py
# Written by format.py.
CLEANFILES += formatted
screen_tests = \
	tests/screens/check-runner.py \
	tests/screens/run.py \
	tests/screens/tmux.sh
# Programs that tests call.
tool_programs = \
	tests/tools/make_sched_trace \
	tests/tools/make_trace \
	tests/tools/openings \
	tests/tools/rewrite_trace
if !PARSERS_ONLY
tool_programs += tests/tools/make_parquet tests/tools/who_spans
endif

# What tests share: made-up traces and what is in them, the loop of the fuzz programs.
check_LIBRARIES = libtest.a
libtest_a_SOURCES = \
	tests/fuzz/driver.c tests/fuzz/fuzz.h tests/fuzz/fuzz_files.c tests/fuzz/page_check.h \
	tests/fuzz/structure.c tests/fuzz/structure.h \
	tests/lib/file_bytes.h \
	tests/lib/gen_sched.c tests/lib/gen_sched.h \
	tests/lib/gen_trace.c tests/lib/gen_trace.h \
	tests/lib/limits.h \
	tests/lib/made_btf.h \
	tests/lib/may_hold.h \
	tests/lib/model_checks.h \
	tests/lib/new_filter.h \
	tests/lib/open_recorded.h \
	tests/lib/opened_bytes.h \
	tests/lib/page_bytes.h \
	tests/lib/perf_bytes.h \
	tests/lib/perfetto_bytes.h \
	tests/lib/recorded.h \
	tests/lib/refused_calls.h \
	tests/lib/rewrite.c tests/lib/rewrite.h \
	tests/lib/row_oracle.h \
	tests/lib/sample_plan.h \
	tests/lib/sample_tracefs.h \
	tests/lib/samples.c tests/lib/samples.h \
	tests/lib/small_traces.h \
	tests/lib/start_helper.h \
	tests/lib/temp_path.h
# They need cmocka.
if HAVE_CMOCKA
check_LIBRARIES += libtestcmocka.a
endif
libtestcmocka_a_CFLAGS = $(AM_CFLAGS) $(TRACEEVENT_CFLAGS)
libtestcmocka_a_SOURCES = \
	tests/lib/fake_tracefs.c tests/lib/fake_tracefs.h
if !PARSERS_ONLY
libtest_a_SOURCES += \
	tests/lib/fake_host.c tests/lib/fake_host.h
libtestcmocka_a_SOURCES += \
	tests/lib/filter_oracle.c tests/lib/filter_oracle.h tests/lib/filter_oracle_private.h \
	tests/lib/filter_oracle_terms.c \
	tests/lib/growing.c tests/lib/growing.h
endif

# What a test is linked with, unless it says otherwise.  Of an archive only what it needs is taken.
LDADD = libtestcmocka.a libtest.a $(libs_all) $(CMOCKA_LIBS)
tests_tools_make_parquet_LDADD = $(libs_src_parquet)
tests_tools_make_sched_trace_LDADD = libtest.a $(libs_all)
tests_tools_make_trace_LDADD = libtest.a $(libs_all)
tests_tools_openings_LDADD =
tests_tools_rewrite_trace_LDADD = libtest.a $(libs_all)
tests_tools_who_spans_LDADD = $(libs_all)
# It brings a filter of its own in place of the program's.
tests_unit_test_matches_SOURCES = tests/unit/test_matches.c tests/lib/fake_filter.c tests/lib/fake_filter.h
# No view may need the loop, nor may the record screen: they link with what they test and what is below it.
libs_views = $(call once,$(libs_ui_events) $(libs_ui_graph) $(libs_ui_functions) $(libs_ui_tasks) $(libs_ui_timeline) \
	$(libs_ui_kernel) $(libs_src_commands))
libs_record_screen = $(call once,$(libs_ui_record))
tests_unit_test_view_host_LDADD = libtest.a $(libs_views) $(CMOCKA_LIBS)
tests_unit_test_grow_tables_LDADD = libtestcmocka.a libtest.a $(libs_views) $(libs_all) $(CMOCKA_LIBS)
tests_unit_test_grow_graph_LDADD = libtestcmocka.a libtest.a $(libs_views) $(libs_all) $(CMOCKA_LIBS)
tests_unit_test_grow_timeline_LDADD = libtestcmocka.a libtest.a $(libs_views) $(libs_all) $(CMOCKA_LIBS)
tests_unit_test_record_screen_LDADD = libtest.a $(libs_record_screen) $(CMOCKA_LIBS)
tests_unit_test_filter_random_CFLAGS = $(AM_CFLAGS) $(TRACEEVENT_CFLAGS)
tests_unit_test_record_packer_CFLAGS = $(AM_CFLAGS) $(TRACEEVENT_CFLAGS)
tests_unit_test_record_packer_LDADD = libtest.a $(libs_all) $(CMOCKA_LIBS)
# A test finishes the directory at a moment of its choice.
tests_unit_test_sched_values_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=trace_status
# Its tracefs refuses what a test wants refused, and makes instances that have files.
tests_unit_test_derived_values_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=mem_installed
tests_unit_test_cpu_reader_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=read -Wl,--wrap=splice
tests_unit_test_instance_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=write
tests_unit_test_doctor_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=openat -Wl,--wrap=__openat_2 -Wl,--wrap=write

if HAVE_CMOCKA
if PARSERS_ONLY
cmocka_programs = $(parser_programs)
else
cmocka_programs = $(parser_programs) $(program_tests) $(fuzz_programs)
endif
endif
check_PROGRAMS = $(cmocka_programs) $(tool_programs)
unit_programs = $(filter tests/unit/%, $(cmocka_programs))
quick_programs = $(unit_programs) $(tool_programs)
tool-programs: $(tool_programs) tests/attack/fault.so
TESTS = $(cmocka_programs) $(check_scripts) $(screen_tests)

# For the build of a package: no network, no root, no terminal, and half a minute.  The scripts compare with trace-cmd, and
# need pseudo-terminals; ./dev test runs them.
check-units:
	@test -n '$(unit_programs)' || { echo "check-units: configure did not find cmocka" >&2; exit 1; }
	$(MAKE) check FTOP_SHARED= VERBOSE=1 check_DATA= check_PROGRAMS='$(unit_programs)' TESTS='$(unit_programs)'

# For ./dev bench; the gcc layer builds them, too.
bench_programs = \
	tests/bench/filter_probe \
	tests/bench/make_trace \
	tests/bench/record_probe \
	tests/bench/sched_probe \
	tests/bench/walk
EXTRA_PROGRAMS += $(bench_programs)
bench-programs: $(bench_programs) tests/tools/rewrite_trace
tests_bench_record_probe_LDADD =
tests_bench_sched_probe_SOURCES = tests/bench/sched_probe.c tests/bench/stopwatch.h
tests_bench_sched_probe_LDADD = $(libs_all)
tests_bench_filter_probe_SOURCES = tests/bench/filter_probe.c tests/bench/heap.c tests/bench/heap.h tests/bench/stopwatch.h
tests_bench_filter_probe_LDADD = $(libs_all)
tests_bench_make_trace_LDADD = $(libs_all)
tests_bench_walk_LDADD = $(libs_all)
CLEANFILES += $(EXTRA_PROGRAMS) tests/bench/kshark_load tests/vm/kshark_rows tests/vm/locks tests/vm/workload

# Preloaded by tests/attack/faults.py, so without sanitizers.
check_DATA = tests/attack/fault.so
tests/attack/fault.so: tests/attack/fault.c
	$(AM_V_CC)$(MKDIR_P) tests/attack && $(CC) -shared -fPIC -O1 -Wall -o $@ '$(srcdir)/tests/attack/fault.c' -ldl
CLEANFILES += tests/attack/fault.so

TEST_EXTENSIONS = .sh .py
LOG_DRIVER = $(SHELL) $(top_srcdir)/tests/tap-driver.sh
SH_LOG_DRIVER = $(LOG_DRIVER)
SH_LOG_COMPILER = $(SHELL)
PY_LOG_DRIVER = $(LOG_DRIVER)
PY_LOG_COMPILER = $(PYTHON)
# Allocations are limited to 1 GiB, as in the helper of a release: libtraceevent asks for 3 GB to print
# an empty cpumask.
# FTOP_SHARED: the fixtures of real kernels, where they lie beside the project; empty: none, even if they do.
AM_TESTS_ENVIRONMENT = \
	FTOP_SRC='$(abs_top_srcdir)'; export FTOP_SRC; \
	FTOP_BUILD='$(abs_top_builddir)'; export FTOP_BUILD; \
	FTOP_TEST_DATA='$(abs_top_srcdir)/tests/data'; export FTOP_TEST_DATA; \
	FTOP_DATADIR='$(abs_top_srcdir)'; export FTOP_DATADIR; \
	ASAN_OPTIONS=allocator_may_return_null=1:max_allocation_size_mb=1024:handle_sigill=1; export ASAN_OPTIONS; \
	UBSAN_OPTIONS=print_stacktrace=1; export UBSAN_OPTIONS; \
	TSAN_OPTIONS='allocator_may_return_null=1 max_allocation_size_mb=1024 halt_on_error=1'; export TSAN_OPTIONS; \
	CMOCKA_MESSAGE_OUTPUT=TAP; export CMOCKA_MESSAGE_OUTPUT; \
	if test -z "$${FTOP_SHARED+set}" && test -d '$(abs_top_srcdir)/../shared/fixtures'; then \
		FTOP_SHARED='$(abs_top_srcdir)/../shared'; export FTOP_SHARED; \
	elif test -z "$$FTOP_SHARED"; then unset FTOP_SHARED; \
	fi;

# For ./dev test, which runs these lists one by one.
print-cmocka-programs:
	@echo $(cmocka_programs)
# The scripts, which take longest, come first.
print-check-programs:
	@echo $(check_scripts) $(cmocka_programs)
print-unit-programs:
	@echo $(unit_programs)
print-parser-programs:
	@echo $(parser_programs)
print-thread-programs:
	@echo $(thread_programs)
print-fuzz-programs:
	@echo $(fuzz_programs)
print-library-tests:
	@echo tests/program/library.py
# What runs in processes that are not confined: ./dev coverage.
print-coverage-programs:
	@echo $(fuzz_programs) $(parser_programs) tests/unit/test_print_program tests/unit/test_printer
print-long-tests:
	@echo $(long_tests)
# Those that use recorded traces from beside the project, if there are any.
print-recorded-tests:
	@cd '$(srcdir)' && for test in $(cmocka_programs) $(check_scripts); do \
		source=$$test; test -f "$$source" || source=$$test.c; \
		if grep -qE 'recorded\.h|growing\.h|SHARED|shared_fixtures|sched_common' "$$source"; then echo "$$test"; fi; \
	done
# In the order in which they begin: what waits for the most part comes first.
print-quick-tests:
	@echo $(screen_tests) $(filter tests/check/%, $(check_scripts)) $(unit_programs)
print-screen-tests:
	@echo $(screen_tests)

.PHONY: bench-programs check-units tool-programs print-cmocka-programs print-check-programs print-unit-programs print-parser-programs print-thread-programs print-fuzz-programs \
	print-coverage-programs print-library-tests print-long-tests print-recorded-tests print-quick-tests print-screen-tests

