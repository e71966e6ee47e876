# layers.mk - what each folder may include and link.
#
# A line is a folder: its own library, then those below it.  What these may use, it may use as well.
# The build links with these lines, from top to bottom of a line; tests/check/layers.py holds every
# #include and every symbol against them.

libs_src_base		= src/base/libbase.a
libs_src_events		= src/events/libknown.a $(libs_src_base)

libs_parsers_io		= parsers/io/libio.a $(libs_src_base)
libs_parsers_source	= parsers/source/libsource.a $(libs_parsers_io)
libs_parsers_lines	= parsers/lines/liblines.a $(libs_parsers_source) $(libs_src_events)
libs_parsers_file	= parsers/file/libfile.a $(libs_parsers_source)
libs_parsers_open	= parsers/open/libopen.a $(libs_parsers_lines) $(libs_parsers_file)
libs_parsers_types	= parsers/types/libtypes.a $(libs_parsers_source)
libs_parsers_pages	= parsers/pages/libpages.a $(libs_parsers_types)
libs_parsers_writer	= parsers/writer/libwriter.a $(libs_parsers_types) $(libs_parsers_file)
libs_parsers_print	= parsers/print/libprint.a $(libs_parsers_types) $(libs_parsers_lines)
libs_parsers_text	= parsers/text/libtext.a $(libs_parsers_print)
libs_parsers_printer	= parsers/printer/libprinter.a $(libs_parsers_text)

libs_src_parquet	= src/parquet/libparquet.a $(libs_src_base)
libs_src_trace		= src/trace/libtrace.a $(libs_parsers_printer) $(libs_parsers_pages) $(libs_parsers_open)
libs_src_filter		= src/filter/libfilter.a $(libs_src_trace)
libs_src_match		= src/match/libmatch.a $(libs_src_filter)
libs_src_cut		= src/cut/libcut.a $(libs_src_match) $(libs_parsers_writer)
libs_src_sched		= src/sched/libsched.a $(libs_src_match)
libs_src_calls		= src/calls/libcalls.a $(libs_src_match)
libs_src_functions	= src/functions/libfunctions.a $(libs_src_calls)
libs_src_latency	= src/latency/liblatency.a $(libs_src_sched) $(libs_src_calls)
libs_src_diff		= src/diff/libdiff.a $(libs_src_base)
libs_src_hist		= src/hist/libhist.a $(libs_src_base)
libs_src_model		= src/model/libmodel.a $(libs_src_match) $(libs_src_diff)
libs_src_counts		= src/counts/libcounts.a $(libs_src_model) $(libs_src_hist) $(libs_src_latency)
libs_src_noise		= src/noise/libnoise.a $(libs_src_model)
libs_src_stacks		= src/stacks/libstacks.a $(libs_src_sched) $(libs_src_functions) $(libs_src_model)
libs_src_summary	= src/summary/libsummary.a $(libs_src_latency) $(libs_src_noise)
libs_src_timeline	= src/timeline/libtimeline.a $(libs_src_sched)
libs_src_why		= src/why/libwhy.a $(libs_src_sched)
libs_src_lists		= src/lists/liblists.a $(libs_src_latency) $(libs_src_stacks) $(libs_src_noise) $(libs_src_counts) \
	$(libs_src_summary)
libs_src_kernel		= src/kernel/libkernel.a $(libs_src_trace)
libs_src_report		= src/report/libreport.a $(libs_src_kernel) $(libs_src_match)
libs_src_export		= src/export/libexport.a $(libs_src_latency) $(libs_src_parquet)
libs_src_recording	= src/recording/librecording.a $(libs_src_base)
libs_src_sandbox	= src/sandbox/libsandbox.a $(libs_src_base) $(SECCOMP_LIBS)
libs_src_commands	= src/commands/libcommands.a $(libs_src_report) $(libs_src_timeline) $(libs_src_why) \
	$(libs_src_lists) $(libs_src_export) $(libs_src_cut) $(libs_src_sandbox)

libs_recorder_tracefs	= recorder/tracefs/libtracefs.a $(libs_parsers_pages)
libs_recorder_journal	= recorder/journal/libjournal.a $(libs_recorder_tracefs)
libs_recorder_output	= recorder/output/liboutput.a $(libs_parsers_writer) $(libs_recorder_journal)
libs_recorder_plan	= recorder/plan/libplan.a $(libs_parsers_writer) $(libs_recorder_journal)
libs_recorder_run	= recorder/run/librun.a $(libs_recorder_output) $(libs_recorder_plan)
libs_recorder_ask	= recorder/ask/libask.a $(libs_recorder_journal)
libs_recorder_commands	= recorder/commands/libcommands.a $(libs_recorder_run) $(libs_recorder_ask) $(libs_src_hist) \
	$(libs_src_commands) $(libs_src_recording)

libs_ui_screen		= ui/screen/libscreen.a $(libs_src_base)
libs_ui_rows		= ui/rows/librows.a $(libs_ui_screen) $(libs_src_sandbox) $(libs_src_timeline) $(libs_src_calls)
libs_ui_view		= ui/view/libview.a $(libs_ui_rows) $(libs_src_lists)
libs_ui_table		= ui/table/libtable.a $(libs_ui_view)
libs_ui_events		= ui/events/libevents.a $(libs_ui_view)
libs_ui_graph		= ui/graph/libgraph.a $(libs_ui_view)
libs_ui_functions	= ui/functions/libfunctions.a $(libs_ui_table) $(libs_src_stacks)
libs_ui_latency		= ui/latency/liblatency.a $(libs_ui_table) $(libs_src_latency) $(libs_src_why)
libs_ui_lists		= ui/lists/liblists.a $(libs_ui_table) $(libs_src_lists)
libs_ui_tasks		= ui/tasks/libtasks.a $(libs_ui_table) $(libs_src_diff)
libs_ui_timeline	= ui/timeline/libtimeline.a $(libs_ui_view) $(libs_src_why)
libs_ui_kernel		= ui/kernel/libkernel.a $(libs_ui_view) $(libs_src_kernel)
libs_ui_record		= ui/record/librecord.a $(libs_ui_view) $(libs_src_recording) $(libs_src_sandbox)
libs_ui_desk		= ui/desk/libdesk.a $(libs_ui_events) $(libs_ui_graph) $(libs_ui_functions) \
	$(libs_ui_latency) $(libs_ui_lists) $(libs_ui_tasks) $(libs_ui_timeline) $(libs_ui_kernel)
libs_ui_session		= ui/session/libsession.a $(libs_src_export) $(libs_src_cut) $(libs_ui_desk)
libs_ui_prompt		= ui/prompt/libprompt.a $(libs_ui_session)
libs_ui_app		= ui/app/libapp.a $(libs_ui_record) $(libs_ui_prompt)
