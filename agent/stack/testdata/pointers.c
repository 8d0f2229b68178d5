#include <unistd.h>
__attribute__((noinline)) void inner(void) {
	for (;;)
		pause();
}
__attribute__((noinline)) void outer(void) {
	inner();
	pause();
}
int main(void) {
	outer();
	return 1;
}
