# The text of any record; libtraceevent, in another process, where we have no program.  See README.md.
noinst_LIBRARIES += %D%/libprinter.a
%C%_libprinter_a_CFLAGS = $(AM_CFLAGS) $(TRACEEVENT_CFLAGS)
%C%_libprinter_a_SOURCES = \
	%D%/printer.c %D%/printer.h \
	%D%/printer_helper.c %D%/printer_helper.h \
	%D%/printer_library.c %D%/printer_library.h \
	%D%/printer_library_format.c %D%/printer_library_format.h \
	%D%/printer_plugins.c %D%/printer_plugins.h \
	%D%/printer_wire.c %D%/printer_wire.h
