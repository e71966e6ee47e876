# What every folder may use: errors, memory, text, options, workers.  See README.md.
noinst_LIBRARIES += %D%/libbase.a
%C%_libbase_a_SOURCES = \
	%D%/await.c %D%/await.h \
	%D%/bisect.h \
	%D%/config_file.c %D%/config_file.h \
	%D%/duration_set.c %D%/duration_set.h \
	%D%/error.c %D%/error.h \
	%D%/file_names.c %D%/file_names.h \
	%D%/file_place.c %D%/file_place.h \
	%D%/fold.c %D%/fold.h \
	%D%/framing.c %D%/framing.h \
	%D%/inside.c %D%/inside.h \
	%D%/index_map.c %D%/index_map.h %D%/number_set.h %D%/pid_bits.h \
	%D%/json.c %D%/json.h \
	%D%/json_out.c %D%/json_out.h \
	%D%/man.c %D%/man.h \
	%D%/man_search.c %D%/man_search.h \
	%D%/memory.c %D%/memory.h \
	%D%/merge.c %D%/merge.h \
	%D%/name_table.c %D%/name_table.h \
	%D%/options.c %D%/options.h \
	%D%/options_completion.c \
	%D%/options_help.c \
	%D%/options_man.c \
	%D%/options_private.h \
	%D%/output.c %D%/output.h \
	%D%/output_names.c %D%/output_names.h \
	%D%/paths.c %D%/paths.h \
	%D%/shell_words.c %D%/shell_words.h \
	%D%/shorten.c %D%/shorten.h \
	%D%/small_file.c %D%/small_file.h \
	%D%/table_out.c %D%/table_out.h \
	%D%/text.c %D%/text.h \
	%D%/time_math.h \
	%D%/varint.h \
	%D%/workers.c %D%/workers.h
