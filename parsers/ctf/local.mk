# CTF traces, which LTTng records; libbabeltrace2 in another process.  See README.md.
noinst_LIBRARIES += %D%/libctf.a
%C%_libctf_a_CFLAGS = $(AM_CFLAGS) $(BABELTRACE_CFLAGS)
%C%_libctf_a_SOURCES = \
	%D%/ctf_helper.h \
	%D%/ctf_names.c %D%/ctf_names.h \
	%D%/ctf_quote.c %D%/ctf_quote.h \
	%D%/ctf_source.c %D%/ctf_source.h \
	%D%/ctf_wire.h
if HAVE_BABELTRACE
%C%_libctf_a_SOURCES += \
	%D%/ctf_graph.c %D%/ctf_graph.h \
	%D%/ctf_helper.c \
	%D%/ctf_metadata.c %D%/ctf_metadata.h \
	%D%/ctf_record.c \
	%D%/ctf_teller.c %D%/ctf_teller.h \
	%D%/ctf_text.c %D%/ctf_text.h \
	%D%/ctf_types.c %D%/ctf_types.h %D%/ctf_types_private.h
else
%C%_libctf_a_SOURCES += %D%/ctf_helper_none.c
endif
