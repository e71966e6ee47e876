# Bytes in and out.  See README.md.
noinst_LIBRARIES += %D%/libio.a
%C%_libio_a_SOURCES = \
	%D%/byte_reader.c %D%/byte_reader.h \
	%D%/out.c %D%/out.h \
	%D%/read_at.c %D%/read_at.h \
	%D%/part_layout.h \
	%D%/open_progress.h \
	%D%/trace_format.h \
	%D%/archive.c %D%/archive.h \
	%D%/input.c %D%/input.h \
	%D%/temporary.c %D%/temporary.h \
	%D%/archive_decoder.c %D%/archive_decoder.h \
	%D%/archive_member.c %D%/archive_member.h
%C%_libio_a_CFLAGS = $(AM_CFLAGS) $(ZSTD_CFLAGS) $(ZLIB_CFLAGS) $(LZMA_CFLAGS)
