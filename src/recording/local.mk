# What the screen knows of a recorder that runs.  See README.md.
noinst_LIBRARIES += %D%/librecording.a
%C%_librecording_a_SOURCES = \
	%D%/capabilities.c %D%/capabilities.h \
	%D%/measure_keys.c %D%/measure_keys.h \
	%D%/ready_setups.c %D%/ready_setups.h \
	%D%/record_progress.c %D%/record_progress.h \
	%D%/recording_words.c %D%/recording_words.h
