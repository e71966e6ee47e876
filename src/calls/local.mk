# Function_graph: pairs entries and exits.  See README.md.
noinst_LIBRARIES += %D%/libcalls.a
%C%_libcalls_a_SOURCES = \
	%D%/away_story.c %D%/away_story.h \
	%D%/call_away.c \
	%D%/call_compare.c %D%/call_compare.h \
	%D%/call_cost.c %D%/call_cost.h \
	%D%/call_facts.c %D%/call_facts.h \
	%D%/call_figures.c \
	%D%/call_fold.c \
	%D%/call_guess.c %D%/call_guess.h \
	%D%/call_job.c %D%/call_job.h \
	%D%/call_names.c %D%/call_names.h \
	%D%/call_pairing.c \
	%D%/call_past.c %D%/call_past.h \
	%D%/call_silence.c %D%/call_silence.h \
	%D%/call_tell.c %D%/call_tell.h \
	%D%/call_text.c %D%/call_text.h \
	%D%/call_tree.c %D%/call_tree.h \
	%D%/call_tree_private.h \
	%D%/call_window.c %D%/call_window.h \
	%D%/graph_busiest.c %D%/graph_busiest.h \
	%D%/graph_records.c %D%/graph_records.h \
	%D%/graph_records_private.h \
	%D%/graph_rows.c %D%/graph_rows.h \
	%D%/graph_types.c \
	%D%/slow_places.c %D%/slow_places.h
