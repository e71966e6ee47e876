# Writes Parquet files.  See README.md.
noinst_LIBRARIES += %D%/libparquet.a
%C%_libparquet_a_CFLAGS = $(AM_CFLAGS) $(ZSTD_CFLAGS)
%C%_libparquet_a_SOURCES = \
	%D%/parquet.c %D%/parquet.h \
	%D%/parquet_page.c \
	%D%/parquet_private.h \
	%D%/thrift.h
