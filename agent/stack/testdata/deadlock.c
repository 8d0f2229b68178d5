#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static volatile int n;
__attribute__((noinline)) static void take_b(void) {
	pthread_mutex_lock(&b);
	n++;
	pthread_mutex_unlock(&b);
}
__attribute__((noinline)) static void take_a(void) {
	pthread_mutex_lock(&a);
	n++;
	pthread_mutex_unlock(&a);
}
static void *first(void *x) {
	pthread_mutex_lock(&a), sleep(1);
	take_b();
	pthread_mutex_unlock(&a);
	return x;
}

static void *second(void *x) {
	pthread_mutex_lock(&b), sleep(1);
	take_a();
	pthread_mutex_unlock(&b);
	return x;
}
int main(void) {
	pthread_t p, q;
	pthread_create(&p, 0, first, 0);
	pthread_create(&q, 0, second, 0);
	pthread_join(p, 0);
	pthread_join(q, 0);
}
