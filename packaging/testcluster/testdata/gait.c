/*
 * gait SECONDS PERIOD_MS [BUSY_PCT]: a loop of two unlike halves, 60 and 40
 * percent of each period, kept to the clock, so that a busy machine does not
 * change the period. The halves lie on pages of their own, as two routines of a
 * real program would. With BUSY_PCT it sleeps after that part of each period.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile double sink;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void sleep_until(double s)
{
	struct timespec t = {(time_t)s, (long)(1e9 * (s - (time_t)s))};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

__attribute__((noinline, aligned(8192))) static void multiply(void)
{
	double x = 1.0;

	for (int i = 0; i < 20000; i++)
		x = x * 1.0000001 + 1e-9;
	sink = x;
}

__attribute__((noinline, aligned(8192))) static void divide(void)
{
	double x = 1e9;

	for (int i = 1; i < 8000; i++)
		x = x / 1.0000001 - 1e-9;
	sink = x;
}

int main(int argc, char **argv)
{
	if (argc != 3 && argc != 4) {
		fprintf(stderr, "usage: gait SECONDS PERIOD_MS [BUSY_PCT]\n");
		return 2;
	}
	double period = atof(argv[2]) / 1e3, start = now();
	double end = start + atof(argv[1]), busy = argc == 4 ? period * atof(argv[3]) / 1e2 : period;

	for (double t = start; t < end; t += period) {
		while (now() < t + 0.6 * busy)
			multiply();
		while (now() < t + busy)
			divide();
		if (busy < period)
			sleep_until(t + period);
	}
	return 0;
}
