# List and doctor.  See README.md.
noinst_LIBRARIES += %D%/libask.a
%C%_libask_a_SOURCES = \
	%D%/doctor.c %D%/doctor.h \
	%D%/doctor_trial.c %D%/doctor_trial.h \
	%D%/list.c %D%/list.h \
	%D%/measures.c %D%/measures.h
