/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stall: four threads that serve requests, and one that sleeps with their lock */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t cache = PTHREAD_MUTEX_INITIALIZER;
static void work(int us)
{
	struct timespec t, e;
	clock_gettime(CLOCK_MONOTONIC, &e);
	long end = e.tv_sec * 1000000L + e.tv_nsec / 1000 + us;
	do
		clock_gettime(CLOCK_MONOTONIC, &t);
	while (t.tv_sec * 1000000L + t.tv_nsec / 1000 < end);
}
static void *req(void *x)
{
	char n[16];
	snprintf(n, 16, "request-%ld", (long)x);
	pthread_setname_np(pthread_self(), n);
	for (int i = 0; i < 40; i++) {
		pthread_mutex_lock(&cache);
		work(200);
		pthread_mutex_unlock(&cache);
		usleep(15000);
	}
	return 0;
}
static void *flush(void *x)
{
	pthread_setname_np(pthread_self(), "log-flusher");
	for (int i = 0; i < 4; i++) {
		usleep(150000);
		pthread_mutex_lock(&cache);
		usleep(90000);
		pthread_mutex_unlock(&cache);
	}
	return 0;
}
int main()
{
	pthread_t t[5];
	for (long i = 0; i < 4; i++)
		pthread_create(t + i, 0, req, (void *)i);
	pthread_create(t + 4, 0, flush, 0);
	for (int i = 0; i < 5; i++)
		pthread_join(t[i], 0);
}
