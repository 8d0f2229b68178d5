! A Fortran program of which the last rank leaves the loop.
module work
  use mpi
contains
  subroutine exchange(x)
    double precision, intent(inout) :: x
    double precision :: total
    integer :: ierr
    call MPI_Allreduce(x, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    x = total
  end subroutine
  subroutine write_checkpoint()
    call sleep(1000)
    print *, "written"
  end subroutine
end module
program hang
  use work
  double precision :: x
  integer :: rank, n, ierr
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, n, ierr)
  x = rank
  do
    if (rank == n - 1) call write_checkpoint()
    call exchange(x)
  end do
end program
