#include <unistd.h>
__attribute__((noinline)) static void hidden(void) {
	for (;;)
		pause();
}
__attribute__((noinline)) void exported(int n) {
	if (n)
		hidden();
	pause();
}
int main(void) { exported(1); }
