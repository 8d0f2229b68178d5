/*
 * ring SECONDS: every rank computes and exchanges with its neighbours until the
 * first says that time is up; prints the number of ranks.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static double compute(double x)
{
	for (int i = 0; i < 2000000; i++)
		x = x * 0.999999 + 1e-6;
	return x;
}

int main(int argc, char **argv)
{
	int rank, size, more = 1;
	double x, got, seconds = argc > 1 ? atof(argv[1]) : 1;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	x = rank;
	double end = MPI_Wtime() + seconds;
	while (more) {
		x = compute(x);
		MPI_Sendrecv(&x, 1, MPI_DOUBLE, (rank + 1) % size, 0, &got, 1, MPI_DOUBLE,
			     (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		x += got;
		more = MPI_Wtime() < end;
		MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
	}
	if (rank == 0)
		printf("ring of %d\n", size);
	MPI_Finalize();
	return x < -1e300;
}
