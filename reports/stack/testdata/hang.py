"""A program in Python whose ranks meet in MPI, of which the last one sleeps."""
import ctypes
import signal
import time

signal.alarm(300)  # ends ranks whose test was killed
mpi = ctypes.CDLL("libmpi.so.40", mode=ctypes.RTLD_GLOBAL)
world = ctypes.addressof(ctypes.c_char.in_dll(mpi, "ompi_mpi_comm_world"))


def exchange():
    mpi.MPI_Barrier(ctypes.c_void_p(world))  # line exchange


def write_checkpoint():
    time.sleep(1000)  # line sleep


def number_of(function):
    value = ctypes.c_int()
    function(ctypes.c_void_p(world), ctypes.byref(value))
    return value.value


def main():
    mpi.MPI_Init(None, None)
    rank, size = number_of(mpi.MPI_Comm_rank), number_of(mpi.MPI_Comm_size)
    for step in range(20):
        if step == 10 and rank == size - 1:
            write_checkpoint()
        exchange()
    mpi.MPI_Finalize()


main()
