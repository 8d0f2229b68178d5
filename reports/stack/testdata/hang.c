// An MPI program of which one rank leaves the loop: hang KIND RANK FILE.
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
static double field[1000];
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static volatile int locked;
static volatile double sink;
#define OWN __attribute__((noinline)) static void
OWN exchange(double mine) {
	double sum = 0;
	MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* line exchange */
	sink = sum;
}
OWN halt(void) {
	raise(SIGSTOP); /* line stop */
	sink = 0;
}
OWN spin(void) {
	for (;;) sink = sink * 1.0001 + 1; /* line loop */
}
OWN synchronize(void) {
	MPI_Barrier(MPI_COMM_WORLD); /* line collective */
	sink = 0;
}
OWN read_input(const char *path) {
	char c;
	int fd = open(path, O_RDONLY);
	if (fd < 0 || read(fd, &c, 1) < 0) /* line fuse */
		perror(path);
	sink = 0;
}
static void *holds_b(void *x) {
	pthread_mutex_lock(&b);
	locked = 1;
	pthread_mutex_lock(&a);
	return x;
}
OWN take_b(void) {
	pthread_t other;
	pthread_mutex_lock(&a);
	pthread_create(&other, 0, holds_b, 0);
	while (!locked)
		usleep(100);
	pthread_mutex_lock(&b); /* line deadlock */
	sink = 0;
}
OWN doze(void) {
	sleep(1000); /* line sleep */
	sink = 0;
}
OWN leave(const char *kind, const char *path) {
	if (!strcmp(kind, "stop"))
		halt();
	if (!strcmp(kind, "loop"))
		spin();
	if (!strcmp(kind, "collective"))
		synchronize();
	if (!strcmp(kind, "fuse"))
		read_input(path);
	if (!strcmp(kind, "deadlock"))
		take_b();
	if (!strcmp(kind, "sleep"))
		doze();
	sink = 1;
}
OWN solve(const char *kind, int odd, const char *path) {
	int rank;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0;; i++) {
		for (int k = 0; k < 100000; k++)
			field[k % 1000] += k * 1e-9;
		if (i == 10 && rank == odd)
			leave(kind, path);
		exchange(field[i % 1000]);
	}
}
/* A child that inherits the rank and sleeps, as helpers of Python do. */
OWN help(void) {
	if (fork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		alarm(300);
		for (;;) pause();
	}
}
int main(int argc, char **argv) {
	alarm(300); /* ends ranks whose test was killed */
	help();
	MPI_Init(&argc, &argv);
	solve(argv[1], atoi(argv[2]), argv[3]);
	MPI_Finalize();
	return 0;
}
