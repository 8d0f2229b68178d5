/*
 * job PERIOD_MS ACTIVE_MS SECONDS FILE CPU: holds /dev/nvidia0 and works in cycles: on the CPU, for a
 * time that varies by 5 %, then in a kernel of ACTIVE_MS, for which it waits. FILE gets the start of
 * each kernel, as FAKE_LAUNCHES of the fake library wants it. Prints when it opened the GPU, in ns of
 * CLOCK_MONOTONIC.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 1 << 18 };

static long long now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static volatile double sink;

__attribute__((noinline)) void decode_on_the_cpu(long long until)
{
	double x = 1;
	while (now() < until)
		for (int i = 0; i < 500; i++)
			x = x * 1.0000001 + 1e-9;
	sink = x;
}

/* Runs a kernel and waits for it. */
static void run_kernel(long long *list, long long active)
{
	long long start = now(), n = list[0];
	struct timespec t = {(start + active) / 1000000000, (start + active) % 1000000000};
	if (n + 1 >= MOST)
		exit(4);
	list[n + 1] = start / 1000;
	__atomic_store_n(list, n + 1, __ATOMIC_RELEASE);
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

int main(int n, char **args)
{
	cpu_set_t cpu;
	if (n != 6)
		return 2;
	CPU_ZERO(&cpu);
	CPU_SET(atoi(args[5]), &cpu);
	if (sched_setaffinity(0, sizeof cpu, &cpu))
		return 5;
	long long active = atof(args[2]) * 1e6, host = atof(args[1]) * 1e6 - active, end = now() + atof(args[3]) * 1e9;
	int file = open(args[4], O_RDWR);
	long long *list = file < 0 ? MAP_FAILED : mmap(NULL, MOST * sizeof *list, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	long long opened = now();
	if (list == MAP_FAILED || ftruncate(file, MOST * sizeof *list) || open("/dev/nvidia0", O_RDWR) < 0)
		return 3;
	printf("%lld\n", opened);
	fflush(stdout);
	for (srandom(7); now() < end; run_kernel(list, active))
		decode_on_the_cpu(now() + host * (.95 + .1 * random() / RAND_MAX));
	return 0;
}
