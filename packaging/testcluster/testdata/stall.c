/*
 * stall FIFO ITERATIONS: every rank computes and reduces so often. Then the last
 * rank reads a FIFO that has no writer, and all other ranks wait for it.
 */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile double sink;

__attribute__((noinline)) static void exchange(double mine)
{
	double sum = 0;
	MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	sink = sum;
}

__attribute__((noinline)) static void read_input(const char *path)
{
	char c;
	int fd = open(path, O_RDWR);

	if (fd < 0 || read(fd, &c, 1) < 0)
		perror(path);
	sink = 0;
}

int main(int argc, char **argv)
{
	int rank, size;

	alarm(300); /* ends ranks whose test was killed */
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < atoi(argv[2]); i++) {
		double x = rank;
		for (int k = 0; k < 8000000; k++)
			x = x * 0.999999 + 1e-6;
		exchange(x);
	}
	if (rank == size - 1)
		read_input(argv[1]);
	exchange(rank);
	MPI_Finalize();
	return 0;
}
