# The container: trace.dat, its sections and chunks.  See README.md.
noinst_LIBRARIES += %D%/libfile.a
%C%_libfile_a_CFLAGS = $(AM_CFLAGS) $(ZSTD_CFLAGS) $(ZLIB_CFLAGS)
%C%_libfile_a_SOURCES = \
	%D%/chunk_repair.c %D%/chunk_repair.h \
	%D%/chunks.c %D%/chunks.h \
	%D%/format_list.c %D%/format_list.h \
	%D%/pack_team.c %D%/pack_team.h \
	%D%/packer.c %D%/packer.h \
	%D%/trace_extra.c \
	%D%/trace_file.c %D%/trace_file.h \
	%D%/trace_file_private.h \
	%D%/trace_file_v6.c \
	%D%/trace_file_v7.c \
	%D%/trace_layout.c \
	%D%/trace_load.c \
	%D%/trace_options.c \
	%D%/trace_own.c \
	%D%/trace_pages.c \
	%D%/trace_part.c \
	%D%/trace_recover.c \
	%D%/trace_resync.c \
	%D%/trace_texts.c
