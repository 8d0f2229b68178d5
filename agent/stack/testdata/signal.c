#include <signal.h>
#include <unistd.h>
static void handler(int s) {
	(void)s;
	for (;;)
		pause();
}
__attribute__((noinline)) static void interrupted(void) {
	volatile double x = 1;
	for (;;)
		x = x * 1.0000001;
}
int main(void) {
	signal(SIGALRM, handler);
	alarm(1);
	interrupted();
}
