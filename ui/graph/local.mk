# The Graph view.  See README.md.
noinst_LIBRARIES += %D%/libgraph.a
%C%_libgraph_a_SOURCES = \
	%D%/graph_columns.c \
	%D%/graph_compare.c \
	%D%/graph_cursor.c \
	%D%/graph_detail.c \
	%D%/graph_draw.c \
	%D%/graph_move.c \
	%D%/graph_names.c \
	%D%/graph_slow.c \
	%D%/graph_text.c \
	%D%/graph_window.c \
	%D%/view_graph.c %D%/view_graph.h
