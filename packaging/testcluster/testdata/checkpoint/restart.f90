! A relaxation in time steps of .16 s by the clock; a formatted restart file every 25 steps. Logs begin and end of each.
program restart
  implicit none
  integer, parameter :: n = 700
  real(8), allocatable :: u(:,:), v(:,:)
  character(len=20) :: arg
  real(8) :: stop_at, b, t
  integer :: step, i
  call get_command_argument(1, arg)
  read (arg, *) stop_at
  stop_at = stop_at + now()
  allocate (u(n,n), v(n,n))
  call random_number(u)
  open (10, file='checkpoints')
  step = 0
  do while (now() < stop_at)
    t = now() + .1
    do while (now() < t)
      v(2:n-1,2:n-1) = .25d0*(u(1:n-2,2:n-1)+u(3:n,2:n-1)+u(2:n-1,1:n-2)+u(2:n-1,3:n))
      u(2:n-1,2:n-1) = v(2:n-1,2:n-1)
    end do
    t = now() + .06
    do while (now() < t)
      v = sin(u)*exp(-u)
    end do
    step = step + 1
    if (mod(step, 25) == 0) then
      b = now()
      open (11, file='restart.txt', status='replace')
      do i = 1, n
        write (11, '(8es24.16)') u(:,i)
      end do
      close (11)
      write (10, '(2f20.4)') b, now()
      flush (10)
    end if
  end do
contains
  real(8) function now()
    interface
      integer(8) function c_time(t) bind(c, name='time')
        integer(8), value :: t
      end function
    end interface
    integer(8) :: ticks, rate
    integer(8), save :: first = -1
    real(8), save :: base
    call system_clock(ticks, rate)
    if (first < 0) then
      first = ticks
      base = real(c_time(0_8), 8)
    end if
    now = base + real(ticks - first, 8)/rate
  end function
end program
