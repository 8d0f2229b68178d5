// Time steps of a stencil and a reduction. MODE fields: every 25 steps a directory of field files, each synced, as
// OpenFOAM's writeInterval. MODE clock: by the clock, at distances of 2 to 12 s. MODE thread: every 25 steps a
// thread writes while the steps go on. Logs begin and end of each.
#define _GNU_SOURCE
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
enum { N = 1 << 20, FIELDS = 24 };
static double u[N], v[N], sum;
static FILE *log_file;
static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}
static void *save(void *arg)
{
	double begin = now();
	char name[64];
	mkdir("fields", 0755);
	for (int k = 0; k < FIELDS; k++) {
		snprintf(name, sizeof name, "fields/f%d", k);
		FILE *f = fopen(name, "w");
		for (int i = 0; f && i < N / 16; i++)
			fprintf(f, "%.12g\n", u[i]);
		if (f) {
			fflush(f);
			fsync(fileno(f));
			fclose(f);
		}
	}
	fprintf(log_file, "%.4f %.4f\n", begin, now());
	fflush(log_file);
	return arg;
}
int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	double end = now() + atof(argv[1]), next = now() + 7;
	int by_clock = !strcmp(argv[2], "clock"), by_thread = !strcmp(argv[2], "thread");
	pthread_t writer;
	log_file = fopen("checkpoints", "w");
	srand(7);
	for (int i = 0; i < N; i++)
		u[i] = i % 97;
	for (int step = 1; now() < end; step++) {
		for (double t = now() + .1; now() < t;)
			for (int i = 1; i < N - 1; i++)
				v[i] = .25 * (u[i - 1] + 2 * u[i] + u[i + 1]);
		for (double t = now() + .06; now() < t;)
			for (int i = 0; i < N / 8; i++)
				sum += sin(v[i]) * exp(-v[i]);
		if (by_clock && now() > next) {
			save(NULL);
			next = now() + 2 + 10. * rand() / RAND_MAX;
		} else if (by_thread && step % 25 == 0) {
			if (pthread_create(&writer, NULL, save, NULL) == 0)
				pthread_detach(writer);
		} else if (!by_clock && !by_thread && step % 25 == 0) {
			save(NULL);
		}
	}
	return sum == 1;
}
