/*
 * jobgait-nvml reads NVIDIA GPUs for jobgait-agent. The agent must not call the driver
 * itself: a call that hangs keeps its process, and the locks of that process, for ever.
 *
 *   jobgait-nvml [-p] [-w] [-n N] DEVICE...
 *
 * DEVICE is a UUID (GPU-...) or the N of /dev/nvidiaN; -n says how many GPUs all such
 * programs of a run read, which share what they may cost. With -w it reads only the energy,
 * every WAITING_MS, until the first "F": no process of the job holds a GPU until then.
 *
 * It writes records of fixed size to stdout. An "F" on stdin makes it read everything at
 * once (the memory at most every MEMORY_MS) and write a FLUSHED record. An "L", the last request,
 * makes it read the energy only when the driver has a value newer than the request. It ends when
 * stdin is closed, so it does not outlive the agent.
 * It looks at stdin between two calls only: a process in a call must not be killed
 * (NVIDIA/dcgm-exporter issue 84). A record that finds no room in the pipe is dropped.
 *
 * Reading plan. Calls differ in cost by a factor of 100 (energy 4 ms, utilization .04 ms
 * on an H200), so each group of calls has an interval of its own:
 *
 *   BEAT     power, clock event reasons, where the driver has no      100 to 200 ms, drawn
 *            windows the utilization, and every .5 s the memory
 *   WINDOWS  GetSamples(GPU_UTILIZATION): all windows of the driver   10 s, or half of what
 *            the driver buffers (14.2 s on an H100, 24.8 s on an H200)
 *   ENERGY   the energy counter                                       2 s
 *   GPM      means of SM, tensor and DRAM since the reading before    1 to 10 s
 *   SELDOM   time slowed by power or heat, PCIe bytes                 5 s
 *
 * The cost of a group is measured at each call, and its interval grows so that it stays
 * below its share of one CPU (share_of). Starting costs CPU time too (40 ms on an H200): ENERGY,
 * GPM and SELDOM wait until the whole of it is within the share (within_budget), because counters
 * and means since the reading before lose nothing meanwhile. -p measures the cost of each call.
 *
 * It inherits no descriptor but 0 to 2, writes no file, and has one thread. The library
 * is opened at run time; no header of it is needed. Constants and structures are those
 * of its documentation (nvml.h, API 11 to 13).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* From nvml.h. */
typedef void *device_t;
struct utilization { unsigned gpu, memory; };
struct memory { unsigned long long total, free, used; };
union value { double d; int i; unsigned ui; unsigned long ul; unsigned long long ull; long long ll; unsigned short us; };
struct field {
	unsigned id, scope;
	long long timestamp, latency_us;
	unsigned type, status;
	union value value;
};
_Static_assert(sizeof(struct field) == 40, "nvmlFieldValue_t has 40 bytes");
struct sample { unsigned long long timestamp_us; union value value; };
_Static_assert(sizeof(struct sample) == 16, "nvmlSample_t has 16 bytes");
struct gpm_support { unsigned version, supported; };
struct gpm_metric { unsigned id, status; double value; char *names[3]; };
_Static_assert(sizeof(struct gpm_metric) == 40, "nvmlGpmMetric_t has 40 bytes");
/* The length of nvmlGpmMetricsGet_t grows with the header; the library fills in as many
 * metrics as are asked for. */
struct gpm_query { unsigned version, count; void *first, *second; struct gpm_metric metrics[1024]; };
enum { SUCCESS = 0, NOT_SUPPORTED = 3, NOT_FOUND = 6, FUNCTION_NOT_FOUND = 13, GPU_IS_LOST = 15 };
enum { TYPE_DOUBLE, TYPE_UINT, TYPE_ULONG, TYPE_ULL, TYPE_LL, TYPE_INT, TYPE_USHORT };
enum { UTILIZATION_SAMPLES = 1 };

/* One record, as record.go reads it. */
enum { HELLO, DEVICE, READING, REFRESH, FAILED, NAME, WINDOWS, COST, FLUSHED };
enum {
	ENERGY, KERNEL, USED, TOTAL, POWER_CAP, SW_THERMAL, HW_THERMAL, POWER_BRAKE, PCIE_TX, PCIE_RX,
	POWER, REASONS, GRAPHICS, SM, OCCUPANCY, TENSOR, DRAM, GPM_BEGAN, VALUES = 24
};
enum { DIVIDED = 251, NO_NUMBER = 253, OTHER_STATUS = 254, NOT_READ = 255 };
struct record {
	uint32_t size;
	uint16_t kind, device;
	int64_t begun, ended, cpu; /* CLOCK_MONOTONIC, and CPU time of this process; ns */
	uint8_t status[VALUES];    /* of each value, the library's, or one of those above */
	uint64_t value[VALUES];    /* or a text */
	uint64_t spare;
};
_Static_assert(sizeof(struct record) == 256, "a record has 256 bytes");
enum { WINDOWS_OF_RECORD = (VALUES - 1) / 2, SAMPLES_AT_ONCE = 1024 };

/* Groups of calls, and how often each is made where the calls cost nothing. */
enum { BEAT_GROUP, WINDOWS_GROUP, ENERGY_GROUP, GPM_GROUP, SELDOM_GROUP, GROUPS };
static const int64_t usual_ms[GROUPS] = {150, 10000, 2000, 1000, 5000};
/* The share of one CPU of all groups of a GPU, of all GPUs, and of each group's part. */
static const double share_of_gpu = .003, share_of_all = .016, part[GROUPS] = {.33, .12, .2, .18, .1};
/* Windows are current where the last ended CURRENT_MS ago at most, and are read every
 * WINDOWS_LEAST_MS at most. A mean of GPM is of GPM_LEAST_MS to GPM_MOST_MS. */
enum {
	MOST_DEVICES = 64, MOST_MS = 60000, GPM_LEAST_MS = 95, GPM_MOST_MS = 10000, WAITING_MS = 5000, PUT_OFF_MS = 20000,
	CURRENT_MS = 1000, WINDOWS_LEAST_MS = 1000, REFRESH_MS = 100, MEMORY_MS = 500
};
/* How long a group may wait for the budget: nothing is lost meanwhile. 0 for a group that does not wait. */
static const int64_t longest_wait_ms[GROUPS] = {[ENERGY_GROUP] = PUT_OFF_MS, [GPM_GROUP] = GPM_MOST_MS, [SELDOM_GROUP] = PUT_OFF_MS};
/* Windows have 166 ms and more. A driver computes their stamps at each call: an H200's differ by 1 us. */
enum { SAME_WINDOW_US = 50000 };

/* Fields of the driver, their groups, and the values that they are. */
static const struct { unsigned id, value, group; } fields[] = {
	{186, POWER, BEAT_GROUP}, {83, ENERGY, ENERGY_GROUP}, {74, POWER_CAP, SELDOM_GROUP}, {269, SW_THERMAL, SELDOM_GROUP},
	{270, HW_THERMAL, SELDOM_GROUP}, {271, POWER_BRAKE, SELDOM_GROUP}, {197, PCIE_TX, SELDOM_GROUP}, {198, PCIE_RX, SELDOM_GROUP},
};
static const struct { unsigned id, value; } metrics[] = {{1, GRAPHICS}, {2, SM}, {3, OCCUPANCY}, {5, TENSOR}, {10, DRAM}};
enum { FIELDS = sizeof fields / sizeof fields[0], METRICS = sizeof metrics / sizeof metrics[0] };

static int (*init)(void), (*count)(unsigned *), (*by_index)(unsigned, device_t *), (*by_uuid)(const char *, device_t *),
	(*minor_of)(device_t, unsigned *), (*name_of)(device_t, char *, unsigned), (*uuid_of)(device_t, char *, unsigned),
	(*version)(char *, unsigned), (*field_values)(device_t, int, struct field *),
	(*utilization)(device_t, struct utilization *), (*memory)(device_t, struct memory *),
	/* May be missing. */
	(*samples)(device_t, unsigned, unsigned long long, unsigned *, unsigned *, struct sample *),
	(*mig_mode)(device_t, unsigned *, unsigned *),
	(*reasons)(device_t, unsigned long long *), (*old_reasons)(device_t, unsigned long long *),
	(*gpm_support)(device_t, struct gpm_support *), (*gpm_alloc)(void **), (*gpm_sample)(device_t, void *),
	(*gpm_metrics)(struct gpm_query *);

static struct device {
	device_t handle;
	int lost, gpm, gpm_begun;
	void *gpm_samples[2];
	int64_t gpm_taken;              /* the last of them, CLOCK_MONOTONIC */
	int64_t memory_taken;           /* the last reading of the memory, CLOCK_MONOTONIC */
	unsigned unsupported;           /* bit k: fields[k] */
	unsigned long long seen_us;     /* stamp of the newest window */
	int64_t buffered;               /* how long a time the driver's windows covered when they were read last, ns */
	int windowed;                   /* the driver's windows were current when they were read last */
	int64_t newest;                 /* end of the newest window, CLOCK_MONOTONIC */
	uint64_t energy;                /* the last reading, mJ; 0 before */
	int64_t called[GROUPS], due[GROUPS], cost[GROUPS]; /* CLOCK_MONOTONIC; mean of the last calls, ns */
} devices[MOST_DEVICES];

static int flush_asked, waiting, device_count, sharers, divided;
static int64_t started, last_asked; /* CLOCK_MONOTONIC; last_asked is 0 without a request */

static int64_t now(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static struct record record_of(int kind, int device)
{
	struct record r = {.size = sizeof r, .kind = kind, .device = device};
	memset(r.status, NOT_READ, sizeof r.status);
	r.begun = now(CLOCK_MONOTONIC);
	return r;
}

/* A write of no more than PIPE_BUF is whole or not at all. */
static void put(struct record *r)
{
	r->ended = now(CLOCK_MONOTONIC);
	r->cpu = now(CLOCK_PROCESS_CPUTIME_ID);
	if (write(1, r, sizeof *r) < 0 && errno != EAGAIN && errno != EINTR)
		_exit(0); /* the reader is gone */
}

/* Waits; ends the process where stdin is closed, returns early where a flush is asked for. */
static void wait_until(int64_t until)
{
	do {
		int64_t left = (until - now(CLOCK_MONOTONIC) + 999999) / 1000000;
		struct pollfd p = {0, POLLIN, 0};
		char b[64];
		if (poll(&p, 1, left > 0 ? left : 0) > 0) {
			ssize_t n = read(0, b, sizeof b);
			if (n <= 0)
				_exit(0);
			last_asked = !waiting && memchr(b, 'L', n) ? now(CLOCK_MONOTONIC) : 0;
			flush_asked = 1;
			waiting = 0;
			return;
		}
	} while (now(CLOCK_MONOTONIC) < until);
}

static void wait_ms(int ms) { wait_until(now(CLOCK_MONOTONIC) + ms * 1000000LL); }

/* The library's statuses go to 999; one byte keeps those that matter apart from success. */
static uint8_t status_byte(int status)
{
	return status >= 0 && status < NO_NUMBER ? status : OTHER_STATUS;
}

static void fail(int status, const char *text)
{
	struct record r = record_of(FAILED, 0);
	r.status[0] = status_byte(status);
	strncpy((char *)r.value, text, sizeof r.value - 1);
	put(&r);
	_exit(1);
}

static void open_library(void)
{
	void *lib = dlopen("libnvidia-ml.so.1", RTLD_LAZY | RTLD_LOCAL);
	if (!lib)
		fail(NOT_FOUND, "there is no libnvidia-ml.so.1");
	struct { void *to; const char *name; int optional; } all[] = {
		{&init, "nvmlInit_v2", 0}, {&count, "nvmlDeviceGetCount_v2", 0}, {&by_index, "nvmlDeviceGetHandleByIndex_v2", 0},
		{&by_uuid, "nvmlDeviceGetHandleByUUID", 0}, {&minor_of, "nvmlDeviceGetMinorNumber", 0}, {&name_of, "nvmlDeviceGetName", 0},
		{&uuid_of, "nvmlDeviceGetUUID", 0}, {&version, "nvmlSystemGetDriverVersion", 0},
		{&field_values, "nvmlDeviceGetFieldValues", 0}, {&utilization, "nvmlDeviceGetUtilizationRates", 0},
		{&memory, "nvmlDeviceGetMemoryInfo", 0}, {&samples, "nvmlDeviceGetSamples", 1}, {&mig_mode, "nvmlDeviceGetMigMode", 1},
		{&reasons, "nvmlDeviceGetCurrentClocksEventReasons", 1}, {&old_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons", 1},
		{&gpm_support, "nvmlGpmQueryDeviceSupport", 1}, {&gpm_alloc, "nvmlGpmSampleAlloc", 1},
		{&gpm_sample, "nvmlGpmSampleGet", 1}, {&gpm_metrics, "nvmlGpmMetricsGet", 1},
	};
	for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++) {
		void *f = dlsym(lib, all[i].name);
		if (!f && !all[i].optional)
			fail(FUNCTION_NOT_FOUND, all[i].name);
		memcpy(all[i].to, &f, sizeof f);
	}
	if (!reasons)
		reasons = old_reasons;
}

/* A number is that of the device file, whatever the order of the library is. The order is the
 * same on most nodes: then no other GPU is opened. */
static int open_device(const char *name, device_t *d)
{
	char *end;
	unsigned long want = strtoul(name, &end, 10);
	if (*end || !*name)
		return by_uuid(name, d);
	unsigned n = 0, minor;
	int status = count(&n);
	for (unsigned k = 0; !status && k < n; k++) {
		unsigned i = want < n ? (want + k) % n : k;
		if (!by_index(i, d) && !minor_of(*d, &minor) && minor == want)
			return SUCCESS;
	}
	return status ? status : NOT_FOUND;
}

/* Whether a GPU is divided into instances (MIG): power and energy are then those of all of them. */
static int is_divided(device_t d)
{
	unsigned current = 0, pending;
	return mig_mode && mig_mode(d, &current, &pending) == SUCCESS && current == 1;
}

/* GPM is there from Hopper on; a GPU without it has utilization only. */
static void open_gpm(struct device *d)
{
	struct gpm_support s = {1, 0};
	d->gpm = gpm_support && gpm_alloc && gpm_sample && gpm_metrics && gpm_support(d->handle, &s) == SUCCESS && s.supported &&
		gpm_alloc(&d->gpm_samples[0]) == SUCCESS && gpm_alloc(&d->gpm_samples[1]) == SUCCESS;
}

/* Writes what a device is: its minor number, memory and UUID, and in a record of its own
 * its name. One that is divided is not read. */
static void introduce(int i, const char *name)
{
	struct record r = record_of(DEVICE, i);
	unsigned minor = 0;
	struct memory m = {0};
	char *text = (char *)&r.value[3];
	int status = open_device(name, &devices[i].handle);
	if (status == SUCCESS && is_divided(devices[i].handle)) {
		status = DIVIDED;
		divided = 1;
	}
	r.status[0] = status_byte(status);
	if (status == SUCCESS) {
		open_gpm(&devices[i]);
		r.status[1] = status_byte(minor_of(devices[i].handle, &minor));
		r.status[2] = status_byte(memory(devices[i].handle, &m));
		uuid_of(devices[i].handle, text, 48);
		r.value[0] = minor;
		r.value[1] = m.total;
		r.value[2] = devices[i].gpm;
	}
	devices[i].lost = status != SUCCESS;
	put(&r);
	struct record named = record_of(NAME, i);
	text = (char *)named.value;
	if (!devices[i].lost && name_of(devices[i].handle, text, 96) == SUCCESS)
		put(&named);
}

/* Converts a value; false where it is no count: negative, not a number, of an unknown type. */
static int number(unsigned type, const union value *v, uint64_t *out)
{
	switch (type) {
	case TYPE_DOUBLE:
		*out = v->d >= 0 && v->d < 1.8e19 ? (uint64_t)v->d : 0;
		return v->d >= 0 && v->d < 1.8e19;
	case TYPE_UINT: *out = v->ui; return 1;
	case TYPE_ULONG: *out = v->ul; return 1;
	case TYPE_ULL: *out = v->ull; return 1;
	case TYPE_LL: *out = v->ll < 0 ? 0 : v->ll; return v->ll >= 0;
	case TYPE_INT: *out = v->i < 0 ? 0 : v->i; return v->i >= 0;
	case TYPE_USHORT: *out = v->us; return 1;
	}
	return 0;
}

/* Reads those fields of a group that the board supports, in one call. */
static int read_fields(struct device *d, struct record *r, unsigned group)
{
	struct field f[FIELDS];
	unsigned n = 0, which[FIELDS];
	memset(f, 0, sizeof f);
	for (unsigned k = 0; k < FIELDS; k++)
		if (fields[k].group == group && !(d->unsupported & 1u << k)) {
			f[n].id = fields[k].id;
			which[n++] = k;
		}
	int status = n ? field_values(d->handle, n, f) : SUCCESS;
	for (unsigned k = 0; k < n; k++) {
		unsigned v = fields[which[k]].value;
		r->status[v] = status_byte(status ? status : (int)f[k].status);
		if (r->status[v] == SUCCESS && !number(f[k].type, &f[k].value, &r->value[v]))
			r->status[v] = NO_NUMBER;
		if (r->status[v] == NOT_SUPPORTED)
			d->unsupported |= 1u << which[k];
	}
	return status;
}

/* Takes a GPM sample and computes the means since the one before, whose time is GPM_BEGAN, in
 * 1/10000 of all of the board. The first sample has its own time and no means. Closer than about
 * 100 ms the board has no new values. */
static int read_gpm(struct device *d, struct record *r)
{
	static struct gpm_query q;
	int64_t taken = now(CLOCK_MONOTONIC);
	if (!d->gpm || (d->gpm_begun && taken - d->gpm_taken < GPM_LEAST_MS * 1000000LL))
		return SUCCESS;
	int status = gpm_sample(d->handle, d->gpm_samples[1]);
	if (status == SUCCESS) {
		r->status[GPM_BEGAN] = SUCCESS;
		r->value[GPM_BEGAN] = d->gpm_begun ? d->gpm_taken : taken;
	}
	if (status == SUCCESS && d->gpm_begun) {
		memset(&q, 0, offsetof(struct gpm_query, metrics[METRICS]));
		q.version = 1;
		q.count = METRICS;
		q.first = d->gpm_samples[0];
		q.second = d->gpm_samples[1];
		for (int k = 0; k < METRICS; k++)
			q.metrics[k].id = metrics[k].id;
		status = gpm_metrics(&q);
		for (int k = 0; k < METRICS; k++) {
			unsigned v = metrics[k].value;
			double percent = q.metrics[k].value;
			r->status[v] = status_byte(status ? status : (int)q.metrics[k].status);
			if (r->status[v] == SUCCESS && !(percent >= 0 && percent <= 1000))
				r->status[v] = NO_NUMBER;
			if (r->status[v] == SUCCESS)
				r->value[v] = (uint64_t)(100 * (percent < 100 ? percent : 100) + .5);
		}
	} else if (status)
		r->status[GRAPHICS] = status_byte(status);
	if (status == SUCCESS || d->gpm_begun == 0) {
		void *last = d->gpm_samples[1];
		d->gpm_samples[1] = d->gpm_samples[0];
		d->gpm_samples[0] = last;
		d->gpm_taken = taken;
		d->gpm_begun = status == SUCCESS;
	}
	return status;
}

/* Windows have the utilization of all of the time, and the call for it takes up to 3 ms. The memory
 * takes half of what a beat costs and changes slowly, so it is read every MEMORY_MS. */
static int read_beat(struct device *d, struct record *r)
{
	struct utilization u = {0, 0};
	struct memory m = {0, 0, 0};
	unsigned long long mask = 0;
	int status = SUCCESS;
	if (!d->windowed) {
		status = utilization(d->handle, &u);
		r->status[KERNEL] = status_byte(status);
		r->value[KERNEL] = u.gpu;
	}
	if (!d->memory_taken || r->begun - d->memory_taken >= MEMORY_MS * 1000000LL) {
		d->memory_taken = r->begun;
		r->status[USED] = r->status[TOTAL] = status_byte(memory(d->handle, &m));
		r->value[USED] = m.used;
		r->value[TOTAL] = m.total;
	}
	if (reasons) {
		r->status[REASONS] = status_byte(reasons(d->handle, &mask));
		r->value[REASONS] = mask;
	}
	int fields_status = read_fields(d, r, BEAT_GROUP);
	return status == GPU_IS_LOST ? status : fields_status;
}

/* The clock that a stamp in us is of: 1 wall, 2 monotonic, 3 boot, 0 none within 2 s; and
 * what is to be added to such stamps for CLOCK_MONOTONIC. */
static int domain(long long us, int64_t *to_monotonic)
{
	static const clockid_t clocks[] = {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_BOOTTIME};
	for (int i = 0; i < 3; i++) {
		int64_t t = now(clocks[i]);
		*to_monotonic = now(CLOCK_MONOTONIC) - t;
		if (llabs(t / 1000 - us) < 2000000)
			return i + 1;
	}
	return 0;
}

/* Reads the driver's buffer of windows of utilization: the end of each new one and its mean. It
 * reads the whole buffer, which shows how much the driver keeps. A stamp that belongs to none of
 * the clocks is of no use. */
static int read_windows(struct device *d, int i)
{
	static struct sample s[SAMPLES_AT_ONCE];
	struct record r = record_of(WINDOWS, i);
	unsigned type = TYPE_UINT, n = SAMPLES_AT_ONCE;
	int64_t to_monotonic = 0;
	int status = samples ? samples(d->handle, UTILIZATION_SAMPLES, 0, &type, &n, s) : NOT_SUPPORTED;
	r.status[0] = status_byte(status);
	int any = !status && n > 0 && n <= SAMPLES_AT_ONCE && domain(s[n - 1].timestamp_us, &to_monotonic);
	if (any) {
		d->newest = s[n - 1].timestamp_us * 1000 + to_monotonic;
		d->buffered = (s[n - 1].timestamp_us - s[0].timestamp_us) * 1000;
	}
	int was = d->windowed;
	d->windowed = d->newest && now(CLOCK_MONOTONIC) - d->newest < CURRENT_MS * 1000000LL;
	if (was != d->windowed)
		d->cost[BEAT_GROUP] = 0; /* it makes other calls from now on */
	if (!any) {
		put(&r);
		return status;
	}
	for (unsigned k = 0; k < n; k++) {
		uint64_t percent, filled = r.value[0];
		if (s[k].timestamp_us < d->seen_us + SAME_WINDOW_US || !number(type, &s[k].value, &percent) || percent > 100)
			continue;
		d->seen_us = s[k].timestamp_us;
		r.value[1 + 2 * filled] = s[k].timestamp_us * 1000 + to_monotonic;
		r.value[2 + 2 * filled] = percent;
		r.value[0] = ++filled;
		if (filled == WINDOWS_OF_RECORD) {
			put(&r);
			r = record_of(WINDOWS, i);
			r.status[0] = SUCCESS;
		}
	}
	if (r.value[0] > 0)
		put(&r);
	return status;
}

/* What a group of calls cost: the CPU time since the group before, which has that of waking up
 * in it, or all of the time of its calls where they slept. */
struct meter { int64_t wall; long slept; };
static int64_t accounted; /* CPU time until the last group ended */

static long sleeps(void)
{
	struct rusage u;
	return getrusage(RUSAGE_SELF, &u) ? 0 : u.ru_nvcsw;
}

static struct meter begin(void) { return (struct meter){now(CLOCK_MONOTONIC), sleeps()}; }

static int64_t cost_since(const struct meter *m)
{
	int64_t wall = now(CLOCK_MONOTONIC) - m->wall, used = now(CLOCK_PROCESS_CPUTIME_ID), cpu = used - accounted;
	accounted = used;
	return sleeps() != m->slept && wall > cpu ? wall : cpu;
}

/* The share of one CPU that all calls of one GPU may take. */
static double gpu_share(void)
{
	double gpu = share_of_all / (sharers > device_count ? sharers : device_count);
	return gpu < share_of_gpu ? gpu : share_of_gpu;
}

/* The share of one CPU that a group of calls of one GPU may take. */
static double share_of(int group) { return part[group] * gpu_share(); }

/* When the CPU time of this process until now, its start included, is within its share. */
static int64_t within_budget(void)
{
	return started + (int64_t)(now(CLOCK_PROCESS_CPUTIME_ID) / (gpu_share() * device_count));
}

/* The longest interval of a group. */
static double longest(const struct device *d, int group)
{
	double half = d->buffered / 2., least = WINDOWS_LEAST_MS * 1e6;
	switch (group) {
	case WINDOWS_GROUP: return !d->buffered ? MOST_MS * 1e6 : half > least ? half : least;
	case GPM_GROUP: return GPM_MOST_MS * 1e6;
	}
	return MOST_MS * 1e6;
}

/* The time from one call of a group to the next: its usual interval, or as long as its cost takes to
 * be within its share. The beat is drawn, 2/3 to 4/3 of that, so that it meets no period of the job. */
static int64_t interval(const struct device *d, int group)
{
	double ns = d->cost[group] / share_of(group), usual = usual_ms[group] * 1e6, most = longest(d, group);
	ns = ns < usual ? usual : ns;
	ns = ns < most ? ns : most;
	return group == BEAT_GROUP ? (int64_t)(ns * (2 + 2.0 * random() / RAND_MAX) / 3) : (int64_t)ns;
}

/* Whether a record has any value. */
static int has_values(const struct record *r)
{
	for (int v = 0; v < VALUES; v++)
		if (r->status[v] != NOT_READ)
			return 1;
	return 0;
}

/* Calls a group of one device, and plans its next time. */
static void call_group(int i, int group)
{
	struct device *d = &devices[i];
	struct record r = record_of(READING, i);
	struct meter m = begin();
	int status = group == WINDOWS_GROUP ? read_windows(d, i) :
		group == BEAT_GROUP ? read_beat(d, &r) :
		group == GPM_GROUP ? read_gpm(d, &r) : read_fields(d, &r, group);
	int64_t cost = cost_since(&m);
	if (r.status[ENERGY] == SUCCESS)
		d->energy = r.value[ENERGY];
	if (has_values(&r))
		put(&r);
	d->cost[group] = d->cost[group] ? (3 * d->cost[group] + cost) / 4 : cost;
	d->lost = status == GPU_IS_LOST;
	d->called[group] = m.wall;
	d->due[group] = m.wall + (waiting ? WAITING_MS * 1000000LL : interval(d, group));
}

/* While it waits for a holder only the energy is read. */
static int is_read(int group) { return !waiting || group == ENERGY_GROUP; }

/* Whether a group is to be called now. One that may wait is put off while this process cannot
 * afford it. */
static int is_due(struct device *d, int group)
{
	int64_t at = now(CLOCK_MONOTONIC), later = within_budget();
	if (at < d->due[group])
		return 0;
	if (waiting || !longest_wait_ms[group] || later <= at)
		return 1;
	int64_t latest = d->called[group] + longest_wait_ms[group] * 1000000LL;
	d->due[group] = latest < later ? latest : later;
	return d->due[group] <= at;
}

/* Calls all groups that are due; at the last request not the energy, which read_last_energy reads. Returns when
 * the next is due, 0 without a device. */
static int64_t call_due(int all, int last)
{
	int64_t next = 0;
	for (int i = 0; i < device_count; i++) {
		struct device *d = &devices[i];
		for (int group = 0; group < GROUPS; group++)
			if (!d->lost && is_read(group) && !(last && group == ENERGY_GROUP) && (all || is_due(d, group)))
				call_group(i, group);
		for (int group = 0; group < GROUPS && !d->lost; group++)
			if (is_read(group) && (!next || d->due[group] < next))
				next = d->due[group];
	}
	return next;
}

/* The driver's energy is up to REFRESH_MS old (an H200's is new every 100.0 ms), so a reading at the end of a job
 * lacks what the job used since. Reads it once that time has passed since the request, and once more where it is
 * still that of the reading before. Returns at once if no GPU has an energy. */
static void read_last_energy(int64_t requested)
{
	static const int after_ms[] = {REFRESH_MS + 5, 3 * REFRESH_MS / 2 - 5};
	uint64_t before[MOST_DEVICES];
	int unchanged = 0;
	for (int i = 0; i < device_count; i++) {
		before[i] = devices[i].energy;
		unchanged += before[i] && !devices[i].lost;
	}
	for (int n = 0; n < 2 && unchanged; n++) {
		wait_until(requested + after_ms[n] * 1000000LL);
		unchanged = 0;
		for (int i = 0; i < device_count; i++)
			if (before[i] && !devices[i].lost && devices[i].energy == before[i]) {
				call_group(i, ENERGY_GROUP);
				unchanged += devices[i].energy == before[i];
			}
	}
}

/* Measures how often energy and power are new: up to 100 calls in 2 s, fewer on a node that
 * leaves this program no time. */
static void measure_refresh(int i)
{
	struct record r = record_of(REFRESH, i);
	struct field f[2];
	uint64_t last[2] = {0}, changes[2] = {0};
	int64_t first[2] = {0}, latest[2] = {0}, calls = 0, spent = 0, unused;
	for (int n = 0; n < 100 && now(CLOCK_MONOTONIC) - r.begun < 2000000000LL; n++) {
		memset(f, 0, sizeof f);
		f[0].id = 83;
		f[1].id = 186;
		int64_t t = now(CLOCK_MONOTONIC);
		int status = field_values(devices[i].handle, 2, f);
		spent += now(CLOCK_MONOTONIC) - t;
		calls++;
		for (int k = 0; k < 2; k++) {
			uint64_t v;
			r.status[k] = status_byte(status ? status : (int)f[k].status);
			if (r.status[k] || !number(f[k].type, &f[k].value, &v))
				continue;
			if (n > 0 && v != last[k]) {
				changes[k]++;
				latest[k] = t;
				if (!first[k])
					first[k] = t;
			}
			last[k] = v;
		}
		r.value[6] = domain(f[0].timestamp, &unused);
		wait_ms(20);
	}
	for (int k = 0; k < 2; k++) {
		r.value[2 * k] = changes[k] > 1 ? (uint64_t)(latest[k] - first[k]) / (changes[k] - 1) : 0;
		r.value[2 * k + 1] = changes[k];
	}
	r.value[4] = calls ? spent / calls : 0;
	r.value[5] = calls;
	put(&r);
}

/* Calls of which -p measures the cost: a group of fields, or a field of its own from
 * FIRST_FIELD on. */
enum { COST_UTILIZATION, COST_MEMORY, COST_REASONS, COST_GPM, COST_WINDOWS, FIRST_FIELD };
static const char *cost_name(int call)
{
	static const char *names[] = {"utilization", "memory", "clock event reasons", "GPM sample and metrics", "windows of utilization",
		"power (field 186)", "energy (field 83)", "time slowed by power cap (74)", "time slowed by heat, software (269)",
		"time slowed by heat, hardware (270)", "time slowed by power brake (271)", "PCIe bytes sent (197)", "PCIe bytes received (198)"};
	return names[call];
}

static int make_call(struct device *d, int call)
{
	static struct sample s[SAMPLES_AT_ONCE];
	struct record unused = record_of(READING, 0);
	struct utilization u;
	struct memory m;
	struct field f = {0};
	unsigned type, n = SAMPLES_AT_ONCE;
	unsigned long long mask;
	switch (call) {
	case COST_UTILIZATION: return utilization(d->handle, &u);
	case COST_MEMORY: return memory(d->handle, &m);
	case COST_REASONS: return reasons ? reasons(d->handle, &mask) : NOT_SUPPORTED;
	case COST_GPM:
		if (!d->gpm)
			return NOT_SUPPORTED;
		read_gpm(d, &unused);
		return unused.status[GRAPHICS] == NOT_READ ? SUCCESS : unused.status[GRAPHICS];
	case COST_WINDOWS: return samples ? samples(d->handle, UTILIZATION_SAMPLES, 0, &type, &n, s) : NOT_SUPPORTED;
	}
	f.id = fields[call - FIRST_FIELD].id;
	int status = field_values(d->handle, 1, &f);
	return status ? status : (int)f.status;
}

static int by_size(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

/* Measures each call of the first device: median and largest time, and CPU time, ns. */
static void measure_costs(int i)
{
	enum { TIMES = 9 };
	for (int call = 0; call < FIRST_FIELD + FIELDS; call++) {
		struct record r = record_of(COST, i);
		int64_t wall[TIMES], cpu = 0;
		int status = SUCCESS;
		for (int n = 0; n < TIMES; n++) {
			wait_ms(call == COST_GPM ? 110 : 7);
			int64_t t = now(CLOCK_MONOTONIC), c = now(CLOCK_PROCESS_CPUTIME_ID);
			status = make_call(&devices[i], call);
			wall[n] = now(CLOCK_MONOTONIC) - t;
			cpu += now(CLOCK_PROCESS_CPUTIME_ID) - c;
		}
		qsort(wall, TIMES, sizeof wall[0], by_size);
		r.status[0] = status_byte(status);
		r.value[0] = wall[TIMES / 2];
		r.value[1] = wall[TIMES - 1];
		r.value[2] = cpu / TIMES;
		strncpy((char *)&r.value[3], cost_name(call), 79);
		put(&r);
	}
}

static void clean_descriptors(void)
{
#ifdef SYS_close_range
	if (syscall(SYS_close_range, 3, ~0U, 0) == 0)
		return;
#endif
	for (int fd = 3; fd < 65536; fd++)
		close(fd);
}

int main(int argc, char **argv)
{
	started = now(CLOCK_MONOTONIC);
	clean_descriptors();
	int null = open("/dev/null", O_WRONLY);
	if (null >= 0)
		dup2(null, 2);
	if (null > 2)
		close(null);
	fcntl(1, F_SETFL, fcntl(1, F_GETFL) | O_NONBLOCK);
	setsid();
	int probe = 0;
	char **names = argv + 1;
	for (; *names && (*names)[0] == '-'; names++)
		if (strcmp(*names, "-p") == 0)
			probe = 1;
		else if (strcmp(*names, "-w") == 0)
			waiting = 1;
		else if (strcmp(*names, "-n") == 0 && names[1])
			sharers = atoi(*++names);
		else
			return 2;
	device_count = argc - (names - argv);
	if (chdir("/") || device_count < 1 || device_count > MOST_DEVICES)
		return 2;
	open_library();
	int status = init();
	if (status)
		fail(status, "the driver could not be reached");
	struct record hello = record_of(HELLO, device_count);
	version((char *)hello.value, sizeof hello.value - 1);
	put(&hello);
	for (int i = 0; i < device_count; i++)
		introduce(i, names[i]);
	srandom(now(CLOCK_MONOTONIC) ^ getpid());
	for (int i = 0; probe && i < device_count; i++)
		if (!devices[i].lost) {
			measure_refresh(i);
			measure_costs(i);
			break;
		}
	accounted = now(CLOCK_PROCESS_CPUTIME_ID);
	if (waiting)
		wait_ms(0); /* an "F" may have come during the start: then everything is read at once */
	for (int first = 1;; first = 0) {
		int all = flush_asked;
		int64_t last = last_asked;
		flush_asked = last_asked = 0;
		int64_t next = call_due(all || first, last != 0);
		if (last)
			read_last_energy(last);
		if (!next)
			fail(divided ? DIVIDED : GPU_IS_LOST, "no GPU is left");
		if (all) {
			struct record r = record_of(FLUSHED, 0);
			put(&r);
		}
		wait_until(next);
	}
}
