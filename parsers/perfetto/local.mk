# Traces of Perfetto.  See README.md.
noinst_LIBRARIES += %D%/libperfetto.a
%C%_libperfetto_a_CPPFLAGS = $(AM_CPPFLAGS) -I.
%C%_libperfetto_a_SOURCES = \
	%D%/perfetto_bundle.c %D%/perfetto_bundle.h \
	%D%/perfetto_file.c %D%/perfetto_file.h \
	%D%/perfetto_formats.c \
	%D%/perfetto_ftrace.c \
	%D%/perfetto_names.c %D%/perfetto_names.h \
	%D%/perfetto_numbers.h \
	%D%/perfetto_page.c %D%/perfetto_page.h \
	%D%/perfetto_pass.c %D%/perfetto_pass.h \
	%D%/perfetto_source.c %D%/perfetto_source.h \
	%D%/perfetto_tasks.c %D%/perfetto_tasks.h \
	%D%/perfetto_tracks.c \
	%D%/perfetto_types.c %D%/perfetto_types.h %D%/perfetto_types_private.h \
	%D%/proto_reader.h

# The text of ftrace.events as a part of the program.
EXTRA_DIST += %D%/ftrace.events
BUILT_SOURCES += %D%/ftrace_events.h
%D%/ftrace_events.h: %D%/ftrace.events Makefile
	$(AM_V_GEN)$(MKDIR_P) %D% && { \
		echo 'static const char ftrace_events[] ='; \
		sed -e 's/"/\\&/g' -e 's/.*/"&\\n"/' '$(srcdir)'/%D%/ftrace.events || exit 1; \
		echo ';'; } > $@.tmp && mv $@.tmp $@
CLEANFILES += %D%/ftrace_events.h
nodist_%C%_libperfetto_a_SOURCES = %D%/ftrace_events.h
%D%/libperfetto_a-perfetto_types.$(OBJEXT): %D%/ftrace_events.h
