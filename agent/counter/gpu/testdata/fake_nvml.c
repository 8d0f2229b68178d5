/*
 * A stand-in for libnvidia-ml.so.1 with two GPUs of known power: 400 W in the first
 * half of every 500 ms of CLOCK_MONOTONIC, in which kernels run, 100 W in the second.
 * Its order is not that of the device files: GPU 0 is /dev/nvidia1.
 *
 * Environment: FAKE_PERIOD_MS and FAKE_ACTIVE_MS for 500 and 250; FAKE_REFRESH_MS how
 * often energy is new (5), FAKE_WINDOW_MS the time that the utilization is the mean of,
 * and which it is new after (0: of this moment); FAKE_HANG_AFTER, FAKE_LOST_AFTER after
 * how many readings a call never returns, and GPU 0 is lost; FAKE_HANG_AT a file whose
 * system a reading asks for first, which may never answer, not even to a kill;
 * FAKE_SLOW_MS how long a reading takes; FAKE_DENY a field without permission;
 * FAKE_NO_INIT no answer ever; FAKE_DOMAIN "boot" stamps by another clock; FAKE_LEFT a
 * file that is there if a descriptor above 2 was inherited.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct field {
	unsigned id, scope;
	long long timestamp, latency;
	unsigned type, status;
	union { unsigned ui; unsigned long long ull; } value;
};

static int lost[2], readings;

static long number(const char *name, long otherwise)
{
	const char *s = getenv(name);
	return s ? atol(s) : otherwise;
}

static long long us(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return t.tv_sec * 1000000LL + t.tv_nsec / 1000;
}

/* For how long kernels ran until t. */
static long long ran(long long t)
{
	long long period = number("FAKE_PERIOD_MS", 500) * 1000, active = number("FAKE_ACTIVE_MS", 250) * 1000;
	return t / period * active + (t % period < active ? t % period : active);
}

static unsigned long long millijoules(long long t)
{
	t -= t % (number("FAKE_REFRESH_MS", 5) * 1000);
	return (ran(t) * 400 + (t - ran(t)) * 100) / 1000;
}

static void forever(void) { for (;;) pause(); }

static long handle(void *d) { return (long)d - 1; }

int nvmlInit_v2(void)
{
	if (getenv("FAKE_NO_INIT"))
		forever();
	for (int fd = 3; fd < 100; fd++)
		if (fcntl(fd, F_GETFD) >= 0 && getenv("FAKE_LEFT")) {
			char at[64], to[256] = "";
			snprintf(at, sizeof at, "/proc/self/fd/%d", fd);
			if (readlink(at, to, sizeof to - 1) > 0 && !strstr(to, ".so"))
				close(open(getenv("FAKE_LEFT"), O_CREAT | O_WRONLY, 0600));
		}
	return 0;
}
int nvmlDeviceGetCount_v2(unsigned *n) { *n = 2; return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned i, void **d) { *d = (void *)(long)(i + 1); return i > 1 ? 2 : 0; }
int nvmlDeviceGetUUID(void *d, char *s, unsigned n) { snprintf(s, n, "GPU-00000000-0000-0000-0000-00000000000%ld", handle(d)); return 0; }
int nvmlDeviceGetHandleByUUID(const char *s, void **d)
{
	if (strncmp(s, "GPU-00000000-", 13))
		return 6;
	*d = (void *)(long)(s[strlen(s) - 1] - '0' + 1);
	return 0;
}
int nvmlDeviceGetMinorNumber(void *d, unsigned *minor) { *minor = 1 - handle(d); return 0; }
int nvmlDeviceGetName(void *d, char *s, unsigned n) { snprintf(s, n, "Fake %ld", handle(d)); return 0; }
int nvmlSystemGetDriverVersion(char *s, unsigned n) { snprintf(s, n, "999.01"); return 0; }
int nvmlDeviceGetMemoryInfo(void *d, unsigned long long *m)
{
	m[0] = 80000000000ULL + handle(d);
	m[2] = 5000000000ULL + handle(d);
	m[1] = m[0] - m[2];
	return lost[handle(d)] ? 15 : 0;
}
int nvmlDeviceGetUtilizationRates(void *d, unsigned *u)
{
	long long window = number("FAKE_WINDOW_MS", 0) * 1000, t = us(CLOCK_MONOTONIC);
	if (window == 0)
		window = 1;
	else
		t -= t % window;
	u[0] = (ran(t) - ran(t - window)) * 100 / window;
	return lost[handle(d)] ? 15 : 0;
}
int nvmlDeviceGetFieldValues(void *d, int n, struct field *f)
{
	struct stat at;
	if (getenv("FAKE_HANG_AT"))
		stat(getenv("FAKE_HANG_AT"), &at);
	usleep(number("FAKE_SLOW_MS", 0) * 1000);
	readings++;
	if (readings > number("FAKE_HANG_AFTER", 1L << 30))
		forever();
	if (readings > number("FAKE_LOST_AFTER", 1L << 30))
		lost[0] = 1;
	if (lost[handle(d)])
		return 15;
	const char *domain = getenv("FAKE_DOMAIN");
	long long t = us(CLOCK_MONOTONIC);
	for (int i = 0; i < n; i++) {
		f[i].timestamp = us(domain && !strcmp(domain, "boot") ? CLOCK_BOOTTIME : CLOCK_REALTIME);
		f[i].status = 0;
		f[i].type = 3;
		if ((long)f[i].id == number("FAKE_DENY", -1))
			f[i].status = 4;
		else if (f[i].id == 83)
			f[i].value.ull = millijoules(t);
		else if (f[i].id == 186) {
			f[i].type = 1;
			f[i].value.ui = ran(t + 1) > ran(t) ? 400000 : 100000;
		} else if (f[i].id == 74)
			f[i].value.ull = t * 100; /* ns: a tenth of the time */
		else if (f[i].id == 197)
			f[i].value.ull = (unsigned)(t * 1000); /* 1 GB/s in 32 bits */
		else
			f[i].status = 3;
	}
	return 0;
}
