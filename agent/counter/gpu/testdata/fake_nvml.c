/*
 * A stand-in for libnvidia-ml.so.1 with GPUs of known power: 400 W in the first
 * half of every 500 ms of CLOCK_MONOTONIC, in which kernels run, 100 W in the second.
 * Its order is not that of the device files: GPU 0 has the highest minor number.
 *
 * Environment: FAKE_PERIOD_MS and FAKE_ACTIVE_MS for 500 and 250; FAKE_LAUNCHES a file of a job
 * with the starts of kernels of FAKE_ACTIVE_MS each, instead of a period; FAKE_REFRESH_MS how
 * often energy is new (5), FAKE_WINDOW_MS the time that the utilization is the mean of,
 * and which it is new after (0: of this moment, and the buffered windows have 200 ms);
 * FAKE_COSTS each call takes the CPU time that it took on an H200, the start 35 ms; FAKE_COUNT
 * how many GPUs there are (2, 8 at most); FAKE_READ a directory in which a file of a GPU's
 * minor number is made once a value of it is read; FAKE_NO_WINDOWS a driver that buffers
 * no windows, FAKE_BUFFER how many it buffers (124), FAKE_NO_GPM a board without GPM; FAKE_MIG the minor number of a GPU that is
 * divided into instances, of which the driver has no utilization; FAKE_NAN a field that is not a number; FAKE_STATUS and FAKE_STATUS_OF the
 * status of a field; FAKE_HANG_AFTER, FAKE_LOST_AFTER after how many calls for fields a
 * call never returns, and GPU 0 is lost; FAKE_HANG_AT a file whose system such a call
 * uses first, which may never answer, not even to a kill; FAKE_SLOW_MS how long such a
 * call takes; FAKE_DENY a field without permission; FAKE_NO_INIT no answer ever;
 * FAKE_DOMAIN "boot" stamps by another clock; FAKE_LEFT a file that is there if a
 * descriptor above 2 was inherited.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct field {
	unsigned id, scope;
	long long timestamp, latency;
	unsigned type, status;
	union { unsigned ui; unsigned long long ull; double d; } value;
};
struct sample { unsigned long long us, value; };
struct gpm_support { unsigned version, supported; };
struct gpm_metric { unsigned id, status; double value; char *names[3]; };
struct gpm_query { unsigned version, count; void *first, *second; struct gpm_metric metrics[]; };

enum { MOST = 8 };
static int lost[MOST], readings;

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

/* The starts of kernels that a job has written, their number first, in us; NULL without a job. */
static const long long *launches(void)
{
	static const long long *list;
	const char *path = getenv("FAKE_LAUNCHES");
	int fd = path && !list ? open(path, O_RDONLY) : -1;
	struct stat size;
	if (fd < 0)
		return list;
	if (!fstat(fd, &size)) {
		void *p = mmap(NULL, size.st_size, PROT_READ, MAP_SHARED, fd, 0);
		list = p == MAP_FAILED ? NULL : p;
	}
	close(fd);
	return list;
}

/* For how long kernels ran until t. */
static long long ran(long long t)
{
	long long period = number("FAKE_PERIOD_MS", 500) * 1000, active = number("FAKE_ACTIVE_MS", 250) * 1000;
	const long long *list = launches();
	if (!list)
		return t / period * active + (t % period < active ? t % period : active);
	long long n = __atomic_load_n(list, __ATOMIC_ACQUIRE);
	while (n > 0 && list[n] > t)
		n--;
	return n == 0 ? 0 : (n - 1) * active + (t - list[n] < active ? t - list[n] : active);
}

static unsigned long long millijoules(long long t)
{
	t -= t % (number("FAKE_REFRESH_MS", 5) * 1000);
	return (ran(t) * 400 + (t - ran(t)) * 100) / 1000;
}

/* Takes CPU time as a call took it on an H200, in us. */
static void costs(long us_of_cpu)
{
	if (!getenv("FAKE_COSTS"))
		return;
	for (long long end = us(CLOCK_PROCESS_CPUTIME_ID) + us_of_cpu; us(CLOCK_PROCESS_CPUTIME_ID) < end;)
		;
}

static long cost_of_field(unsigned id)
{
	switch (id) {
	case 83: return 4700;
	case 270: case 271: return 1200;
	case 197: case 198: return 500;
	}
	return 70;
}

static void forever(void) { for (;;) pause(); }

static long handle(void *d) { return (long)d - 1; }

static long gpus(void) { return number("FAKE_COUNT", 2); }

/* Notes that a value of a GPU is read. */
static void note_read(void *d)
{
	const char *dir = getenv("FAKE_READ");
	char path[512];
	if (!dir)
		return;
	snprintf(path, sizeof path, "%s/%ld", dir, gpus() - 1 - handle(d));
	close(open(path, O_CREAT | O_WRONLY, 0600));
}

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
	costs(35000);
	return 0;
}
int nvmlDeviceGetCount_v2(unsigned *n) { *n = gpus(); return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned i, void **d) { *d = (void *)(long)(i + 1); return i >= gpus() ? 2 : 0; }
int nvmlDeviceGetUUID(void *d, char *s, unsigned n) { snprintf(s, n, "GPU-00000000-0000-0000-0000-00000000000%ld", handle(d)); return 0; }
int nvmlDeviceGetHandleByUUID(const char *s, void **d)
{
	if (strncmp(s, "GPU-00000000-", 13))
		return 6;
	*d = (void *)(long)(s[strlen(s) - 1] - '0' + 1);
	return 0;
}
int nvmlDeviceGetMinorNumber(void *d, unsigned *minor) { *minor = gpus() - 1 - handle(d); return 0; }
int nvmlDeviceGetName(void *d, char *s, unsigned n) { snprintf(s, n, "Fake %ld", handle(d)); return 0; }
int nvmlSystemGetDriverVersion(char *s, unsigned n) { snprintf(s, n, "999.01"); return 0; }
int nvmlDeviceGetMemoryInfo(void *d, unsigned long long *m)
{
	costs(100);
	m[0] = 80000000000ULL + handle(d);
	m[2] = 5000000000ULL + handle(d);
	m[1] = m[0] - m[2];
	return lost[handle(d)] ? 15 : 0;
}
static int divided(void *d) { return gpus() - 1 - handle(d) == number("FAKE_MIG", -1); }
int nvmlDeviceGetMigMode(void *d, unsigned *current, unsigned *pending)
{
	*current = *pending = divided(d);
	return 0;
}
int nvmlDeviceGetUtilizationRates(void *d, unsigned *u)
{
	static int calls;
	long long window = number("FAKE_WINDOW_MS", 0) * 1000, t = us(CLOCK_MONOTONIC);
	note_read(d);
	if (divided(d))
		return 3;
	costs(calls++ % 10 == 5 ? 3000 : 40);
	if (window == 0)
		window = 1;
	else
		t -= t % window;
	u[0] = (ran(t) - ran(t - window)) * 100 / window;
	return lost[handle(d)] ? 15 : 0;
}
int nvmlDeviceGetCurrentClocksEventReasons(void *d, unsigned long long *mask)
{
	costs(30);
	note_read(d);
	*mask = us(CLOCK_MONOTONIC) / 1000 % 1000 < 100 ? 0x20 : 0; /* heat, a tenth of the time */
	return lost[handle(d)] ? 15 : 0;
}
/* The last windows that have ended, stamped by the wall clock, each time 3 us later: an H200's stamps differ by 1 us. */
int nvmlDeviceGetSamples(void *d, unsigned type, unsigned long long seen, unsigned *kind, unsigned *n, struct sample *s)
{
	static long long wall, calls;
	long long window = number("FAKE_WINDOW_MS", 200) * 1000, t = us(CLOCK_MONOTONIC);
	wall = wall ? wall : us(CLOCK_REALTIME) - t;
	unsigned room = *n, filled = 0;
	note_read(d);
	if (type != 1 || getenv("FAKE_NO_WINDOWS"))
		return 3;
	costs(2800);
	window = window ? window : 200000;
	if (lost[handle(d)])
		return 15;
	*kind = 1;
	for (long long end = t - t % window - (number("FAKE_BUFFER", 124) - 1) * window; end <= t && filled < room; end += window)
		if (end >= window && (unsigned long long)(end + wall) > seen) {
			s[filled].us = end + wall + 3 * calls;
			s[filled++].value = ((ran(end) - ran(end - window)) * 100 + window / 2) / window;
		}
	calls++;
	*n = filled;
	return filled ? 0 : 6;
}
int nvmlGpmQueryDeviceSupport(void *d, struct gpm_support *g)
{
	(void)d;
	g->supported = !getenv("FAKE_NO_GPM");
	return 0;
}
int nvmlGpmSampleAlloc(void **p) { return (*p = calloc(1, sizeof(long long))) ? 0 : 20; }
int nvmlGpmSampleGet(void *d, void *p)
{
	note_read(d);
	costs(260);
	*(long long *)p = us(CLOCK_MONOTONIC);
	return lost[handle(d)] ? 15 : 0;
}
int nvmlGpmMetricsGet(struct gpm_query *q)
{
	long long a = *(long long *)q->first, b = *(long long *)q->second;
	static const struct { unsigned id; double part; } have[] = {{1, 1}, {2, .9}, {3, .3}, {5, .5}, {10, .4}};
	costs(2400);
	for (unsigned k = 0; k < q->count; k++) {
		q->metrics[k].status = 3;
		for (unsigned i = 0; i < sizeof have / sizeof have[0]; i++)
			if (have[i].id == q->metrics[k].id && b > a) {
				q->metrics[k].status = 0;
				q->metrics[k].value = 100. * have[i].part * (ran(b) - ran(a)) / (b - a);
			}
	}
	return 0;
}
int nvmlDeviceGetFieldValues(void *d, int n, struct field *f)
{
	struct stat at;
	note_read(d);
	if (getenv("FAKE_HANG_AT"))
		stat(getenv("FAKE_HANG_AT"), &at);
	if (number("FAKE_SLOW_MS", 0))
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
		costs(cost_of_field(f[i].id));
		f[i].timestamp = us(domain && !strcmp(domain, "boot") ? CLOCK_BOOTTIME : CLOCK_REALTIME);
		f[i].status = 0;
		f[i].type = 3;
		if ((long)f[i].id == number("FAKE_DENY", -1))
			f[i].status = 4;
		else if ((long)f[i].id == number("FAKE_STATUS_OF", -1))
			f[i].status = number("FAKE_STATUS", 0);
		else if ((long)f[i].id == number("FAKE_NAN", -1)) {
			f[i].type = 0;
			f[i].value.d = 0. / 0.;
		}
		else if (f[i].id == 83)
			f[i].value.ull = millijoules(t);
		else if (f[i].id == 186) {
			f[i].type = 1;
			f[i].value.ui = ran(t + 1) > ran(t) ? 400000 : 100000;
		} else if (f[i].id == 74)
			f[i].value.ull = t * 100; /* ns: a tenth of the time */
		else if (f[i].id == 197)
			f[i].value.ull = t * 1000; /* 1 GB/s */
		else if (f[i].id == 198 && getenv("FAKE_COSTS"))
			f[i].value.ull = t * 500;
		else if (f[i].id == 269 && getenv("FAKE_COSTS"))
			f[i].value.ull = t * 50; /* a twentieth of the time */
		else if ((f[i].id == 270 || f[i].id == 271) && getenv("FAKE_COSTS"))
			f[i].value.ull = 0;
		else
			f[i].status = 3;
	}
	return 0;
}
