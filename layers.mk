# layers.mk - what each folder may include and link.
#
# A line is a folder: its own library, then those below it.  What these may use, it may use as well.
# The build links with these lines, from top to bottom of a line; tests/check/layers.py holds every
# #include and every symbol against them.  The local.mk of the folder lists its sources.

libs_src_base		= src/base/libbase.a
include src/base/local.mk
libs_src_events		= src/events/libknown.a $(libs_src_base)
include src/events/local.mk

libs_parsers_io		= parsers/io/libio.a $(libs_src_base)
include parsers/io/local.mk
libs_parsers_source	= parsers/source/libsource.a $(libs_parsers_io)
include parsers/source/local.mk
libs_parsers_lines	= parsers/lines/liblines.a $(libs_parsers_source) $(libs_src_events)
include parsers/lines/local.mk
libs_parsers_file	= parsers/file/libfile.a $(libs_parsers_source)
include parsers/file/local.mk
libs_parsers_perf	= parsers/perf/libperf.a $(libs_parsers_file)
include parsers/perf/local.mk
libs_parsers_spool	= parsers/spool/libspool.a $(libs_parsers_source)
include parsers/spool/local.mk
libs_parsers_perfetto	= parsers/perfetto/libperfetto.a $(libs_parsers_spool) $(libs_src_events)
include parsers/perfetto/local.mk
libs_parsers_ctf	= parsers/ctf/libctf.a $(libs_parsers_spool) $(libs_src_events)
include parsers/ctf/local.mk
libs_parsers_open	= parsers/open/libopen.a $(libs_parsers_lines) $(libs_parsers_perf) $(libs_parsers_perfetto) \
	$(libs_parsers_ctf)
include parsers/open/local.mk
libs_parsers_types	= parsers/types/libtypes.a $(libs_parsers_source) $(libs_src_events)
include parsers/types/local.mk
libs_parsers_pages	= parsers/pages/libpages.a $(libs_parsers_types)
include parsers/pages/local.mk
libs_parsers_writer	= parsers/writer/libwriter.a $(libs_parsers_types) $(libs_parsers_file)
include parsers/writer/local.mk
libs_parsers_print	= parsers/print/libprint.a $(libs_parsers_types) $(libs_parsers_lines)
include parsers/print/local.mk
libs_parsers_text	= parsers/text/libtext.a $(libs_parsers_print)
include parsers/text/local.mk

if !PARSERS_ONLY
libs_parsers_printer	= parsers/printer/libprinter.a $(libs_parsers_text)
include parsers/printer/local.mk

libs_src_parquet	= src/parquet/libparquet.a $(libs_src_base)
include src/parquet/local.mk
libs_src_trace		= src/trace/libtrace.a $(libs_parsers_printer) $(libs_parsers_pages) $(libs_parsers_open)
include src/trace/local.mk
libs_src_filter		= src/filter/libfilter.a $(libs_src_trace)
include src/filter/local.mk
libs_src_match		= src/match/libmatch.a $(libs_src_filter)
include src/match/local.mk
libs_src_cut		= src/cut/libcut.a $(libs_src_match) $(libs_parsers_writer)
include src/cut/local.mk
libs_src_sched		= src/sched/libsched.a $(libs_src_match)
include src/sched/local.mk
libs_src_calls		= src/calls/libcalls.a $(libs_src_match)
include src/calls/local.mk
libs_src_diff		= src/diff/libdiff.a $(libs_src_base)
include src/diff/local.mk
libs_src_check		= src/check/libcheck.a $(libs_src_base)
include src/check/local.mk
libs_src_hist		= src/hist/libhist.a $(libs_src_base)
include src/hist/local.mk
libs_src_model		= src/model/libmodel.a $(libs_src_match) $(libs_src_diff)
include src/model/local.mk
libs_src_why		= src/why/libwhy.a $(libs_src_sched) $(libs_src_model)
include src/why/local.mk
libs_src_latency	= src/latency/liblatency.a $(libs_src_calls) $(libs_src_why)
include src/latency/local.mk
libs_src_until		= src/until/libuntil.a $(libs_src_latency)
include src/until/local.mk
libs_src_counts		= src/counts/libcounts.a $(libs_src_model) $(libs_src_hist) $(libs_src_latency)
include src/counts/local.mk
libs_src_tasks		= src/tasks/libtasks.a $(libs_src_sched) $(libs_src_model)
include src/tasks/local.mk
libs_src_wakeups	= src/wakeups/libwakeups.a $(libs_src_sched) $(libs_src_model)
include src/wakeups/local.mk
libs_src_noise		= src/noise/libnoise.a $(libs_src_model)
include src/noise/local.mk
libs_src_functions	= src/functions/libfunctions.a $(libs_src_calls) $(libs_src_model)
include src/functions/local.mk
libs_src_stacks		= src/stacks/libstacks.a $(libs_src_sched) $(libs_src_functions) $(libs_src_model)
include src/stacks/local.mk
libs_src_summary	= src/summary/libsummary.a $(libs_src_latency) $(libs_src_noise)
include src/summary/local.mk
libs_src_timeline	= src/timeline/libtimeline.a $(libs_src_sched)
include src/timeline/local.mk
libs_src_lists		= src/lists/liblists.a $(libs_src_latency) $(libs_src_stacks) $(libs_src_noise) $(libs_src_counts) \
	$(libs_src_summary) $(libs_src_tasks) $(libs_src_wakeups) $(libs_src_why)
include src/lists/local.mk
libs_src_kernel		= src/kernel/libkernel.a $(libs_src_trace)
include src/kernel/local.mk
libs_src_report		= src/report/libreport.a $(libs_src_kernel) $(libs_src_match)
include src/report/local.mk
libs_src_export		= src/export/libexport.a $(libs_src_latency) $(libs_src_parquet)
include src/export/local.mk
libs_src_recording	= src/recording/librecording.a $(libs_src_base)
include src/recording/local.mk
libs_src_sandbox	= src/sandbox/libsandbox.a $(libs_src_base)
include src/sandbox/local.mk
libs_src_symbols	= src/symbols/libsymbols.a $(libs_src_match) $(libs_src_sandbox)
include src/symbols/local.mk
libs_src_commands	= src/commands/libcommands.a $(libs_src_report) $(libs_src_timeline) $(libs_src_why) \
	$(libs_src_lists) $(libs_src_check) $(libs_src_until) $(libs_src_export) $(libs_src_cut) \
	$(libs_src_recording) $(libs_src_symbols)
include src/commands/local.mk

libs_recorder_tracefs	= recorder/tracefs/libtracefs.a $(libs_parsers_pages)
include recorder/tracefs/local.mk
libs_recorder_journal	= recorder/journal/libjournal.a $(libs_recorder_tracefs)
include recorder/journal/local.mk
libs_recorder_output	= recorder/output/liboutput.a $(libs_parsers_writer) $(libs_recorder_journal)
include recorder/output/local.mk
libs_recorder_plan	= recorder/plan/libplan.a $(libs_parsers_writer) $(libs_recorder_journal) $(libs_src_recording)
include recorder/plan/local.mk
libs_recorder_run	= recorder/run/librun.a $(libs_recorder_output) $(libs_recorder_plan) $(libs_src_recording)
include recorder/run/local.mk
libs_recorder_ask	= recorder/ask/libask.a $(libs_recorder_journal) $(libs_src_recording)
include recorder/ask/local.mk
libs_recorder_commands	= recorder/commands/libcommands.a $(libs_recorder_run) $(libs_recorder_ask) $(libs_src_hist) \
	$(libs_src_commands) $(libs_src_recording)
include recorder/commands/local.mk

libs_src_static		= src/static/libstatic.a $(libs_src_base)
include src/static/local.mk

libs_ui_screen		= ui/screen/libscreen.a $(libs_src_base)
include ui/screen/local.mk
libs_ui_rows		= ui/rows/librows.a $(libs_ui_screen) $(libs_src_sandbox) $(libs_src_timeline) $(libs_src_calls)
include ui/rows/local.mk
libs_ui_view		= ui/view/libview.a $(libs_ui_rows) $(libs_src_lists)
include ui/view/local.mk
libs_ui_table		= ui/table/libtable.a $(libs_ui_view)
include ui/table/local.mk
libs_ui_events		= ui/events/libevents.a $(libs_ui_view)
include ui/events/local.mk
libs_ui_graph		= ui/graph/libgraph.a $(libs_ui_view)
include ui/graph/local.mk
libs_ui_functions	= ui/functions/libfunctions.a $(libs_ui_table) $(libs_src_stacks)
include ui/functions/local.mk
libs_ui_latency		= ui/latency/liblatency.a $(libs_ui_table) $(libs_src_latency)
include ui/latency/local.mk
libs_ui_lists		= ui/lists/liblists.a $(libs_ui_table) $(libs_src_lists)
include ui/lists/local.mk
libs_ui_tasks		= ui/tasks/libtasks.a $(libs_ui_table) $(libs_src_diff)
include ui/tasks/local.mk
libs_ui_timeline	= ui/timeline/libtimeline.a $(libs_ui_view) $(libs_src_why)
include ui/timeline/local.mk
libs_ui_kernel		= ui/kernel/libkernel.a $(libs_ui_view) $(libs_src_kernel)
include ui/kernel/local.mk
libs_ui_record		= ui/record/librecord.a $(libs_ui_view) $(libs_src_recording) $(libs_src_sandbox)
include ui/record/local.mk
libs_ui_desk		= ui/desk/libdesk.a $(libs_ui_events) $(libs_ui_graph) $(libs_ui_functions) \
	$(libs_ui_latency) $(libs_ui_lists) $(libs_ui_tasks) $(libs_ui_timeline) $(libs_ui_kernel)
include ui/desk/local.mk
libs_ui_session		= ui/session/libsession.a $(libs_src_export) $(libs_src_cut) $(libs_ui_desk)
include ui/session/local.mk
libs_ui_prompt		= ui/prompt/libprompt.a $(libs_ui_session)
include ui/prompt/local.mk
libs_ui_app		= ui/app/libapp.a $(libs_ui_record) $(libs_ui_prompt)
include ui/app/local.mk
libs_src_main		= src/main/libmain.a $(libs_ui_app) $(libs_recorder_commands) $(libs_src_commands)
include src/main/local.mk
endif
