# The rows and cells of the Timeline, and its words.  See README.md.
noinst_LIBRARIES += %D%/libtimeline.a
%C%_libtimeline_a_SOURCES = \
	%D%/sched_story.c %D%/sched_story.h \
	%D%/markers.c %D%/markers.h \
	%D%/series.c %D%/series.h \
	%D%/timeline.c %D%/timeline.h \
	%D%/timeline_groups.c %D%/timeline_groups.h \
	%D%/timeline_guests.c %D%/timeline_guests.h \
	%D%/timeline_labels.c %D%/timeline_labels.h \
	%D%/timeline_plot.c %D%/timeline_plot.h %D%/timeline_private.h \
	%D%/timeline_text.c %D%/timeline_text.h
