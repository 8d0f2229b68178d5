module exchange
contains
  subroutine halo(n)
    integer, intent(in) :: n
    do
      call sleep(n)
    end do
  end subroutine
end module
program solve
  use exchange
  call halo(100)
end program
