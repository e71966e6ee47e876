# The Timeline view.  See README.md.
noinst_LIBRARIES += %D%/libtimeline.a
%C%_libtimeline_a_SOURCES = \
	%D%/timeline_detail.c \
	%D%/timeline_draw.c \
	%D%/timeline_move.c \
	%D%/timeline_only.c \
	%D%/timeline_plots.c \
	%D%/timeline_rows.c \
	%D%/timeline_why.c \
	%D%/view_timeline.c %D%/view_timeline.h
