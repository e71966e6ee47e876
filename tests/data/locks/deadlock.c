/* SPDX-License-Identifier: GPL-2.0-or-later */
/* deadlock: two threads that take two locks in different orders */
#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void *f(void *x)
{
	pthread_setname_np(pthread_self(), "writer");
	pthread_mutex_lock(&a);
	usleep(50000);
	pthread_mutex_lock(&b);
	return x;
}
static void *g(void *x)
{
	pthread_setname_np(pthread_self(), "reader");
	pthread_mutex_lock(&b);
	usleep(50000);
	pthread_mutex_lock(&a);
	return x;
}
int main()
{
	pthread_t t[2];
	pthread_create(t, 0, f, 0);
	pthread_create(t + 1, 0, g, 0);
	pthread_join(t[0], 0);
}
