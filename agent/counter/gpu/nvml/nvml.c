/*
 * jobgait-nvml: reads NVIDIA GPUs for jobgait-agent, which must not call the driver
 * itself: a call that hangs keeps its process, and the locks of it, for ever.
 *
 *   jobgait-nvml DEVICE...     DEVICE is a UUID (GPU-...) or N of /dev/nvidiaN
 *
 * Records of fixed size go to stdout, nothing comes in: it ends when stdin is closed,
 * so it outlives nobody. It looks for that between two calls only; one that hangs in a
 * call is never to be killed in it (NVIDIA/dcgm-exporter issue 84). A record that finds
 * no room in the pipe is dropped: all but levels count on, so nothing is lost.
 *
 * It inherits no descriptor but 0 to 2, writes no file, and has no thread. The library
 * is opened at run time and no header of it is needed: the constants and the one
 * structure below are those of its documentation (nvml.h, API 11 to 13). Built to that
 * documentation, not yet run on a GPU.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* What is taken of nvml.h. */
typedef void *device_t;
struct utilization { unsigned gpu, memory; };
struct memory { unsigned long long total, free, used; };
struct field {
	unsigned id, scope;
	long long timestamp, latency_us;
	unsigned type, status;
	union { double d; unsigned ui; unsigned long ul; unsigned long long ull; long long ll; } value;
};
_Static_assert(sizeof(struct field) == 40, "nvmlFieldValue_t has 40 bytes");
enum { SUCCESS = 0, NOT_SUPPORTED = 3, NOT_FOUND = 6, FUNCTION_NOT_FOUND = 13, GPU_IS_LOST = 15 };
enum { TYPE_DOUBLE, TYPE_UINT, TYPE_ULONG, TYPE_ULL, TYPE_LL };

/* One record, as record.go reads it. */
enum { HELLO, DEVICE, READING, REFRESH, FAILED, NAME };
enum { ENERGY, KERNEL, USED, TOTAL, POWER_CAP, SW_THERMAL, HW_THERMAL, POWER_BRAKE, PCIE_TX, PCIE_RX, VALUES };
enum { NOT_ASKED = 255 };
struct record {
	uint32_t size;
	uint16_t kind, device;
	int64_t begun, ended, cpu; /* CLOCK_MONOTONIC, and CPU time of this process; ns */
	uint8_t status[16];        /* of each value, the library's */
	uint64_t value[VALUES];    /* or a text */
};
_Static_assert(sizeof(struct record) == 128, "a record has 128 bytes");

/* Fields of one call to the driver, and the values that they are. */
static const struct { unsigned id, value; } fields[] = {
	{83, ENERGY}, {74, POWER_CAP}, {269, SW_THERMAL}, {270, HW_THERMAL}, {271, POWER_BRAKE}, {197, PCIE_TX}, {198, PCIE_RX},
};
enum { FIELDS = sizeof fields / sizeof fields[0], MOST = 64, LEAST_MS = 100, MORE_MS = 100, MOST_MS = 5000, SELDOM = 8 };

static int (*init)(void), (*count)(unsigned *), (*by_index)(unsigned, device_t *), (*by_uuid)(const char *, device_t *),
	(*minor_of)(device_t, unsigned *), (*name_of)(device_t, char *, unsigned), (*uuid_of)(device_t, char *, unsigned),
	(*version)(char *, unsigned), (*field_values)(device_t, int, struct field *),
	(*utilization)(device_t, struct utilization *), (*memory)(device_t, struct memory *);

static struct { device_t handle; int lost; unsigned bad; } devices[MOST];

static int64_t now(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static struct record record_of(int kind, int device)
{
	struct record r = {.size = sizeof r, .kind = kind, .device = device};
	memset(r.status, NOT_ASKED, sizeof r.status);
	r.begun = now(CLOCK_MONOTONIC);
	return r;
}

/* A write of no more than PIPE_BUF is whole or not at all. */
static void put(struct record *r)
{
	r->ended = now(CLOCK_MONOTONIC);
	r->cpu = now(CLOCK_PROCESS_CPUTIME_ID);
	if (write(1, r, sizeof *r) < 0 && errno != EAGAIN && errno != EINTR)
		_exit(0); /* nobody reads any more */
}

/* Waits so long; ends where stdin is closed. */
static void wait_ms(int ms)
{
	int64_t until = now(CLOCK_MONOTONIC) + ms * 1000000LL;
	do {
		int64_t left = (until - now(CLOCK_MONOTONIC) + 999999) / 1000000;
		struct pollfd p = {0, POLLIN, 0};
		char b[64];
		if (poll(&p, 1, left > 0 ? left : 0) > 0 && read(0, b, sizeof b) <= 0)
			_exit(0);
	} while (now(CLOCK_MONOTONIC) < until);
}

static void fail(int status, const char *text)
{
	struct record r = record_of(FAILED, 0);
	r.status[0] = status;
	strncpy((char *)r.value, text, sizeof r.value - 1);
	put(&r);
	_exit(1);
}

static void open_library(void)
{
	void *lib = dlopen("libnvidia-ml.so.1", RTLD_LAZY | RTLD_LOCAL);
	if (!lib)
		fail(NOT_FOUND, "there is no libnvidia-ml.so.1");
	struct { void *to; const char *name; } all[] = {
		{&init, "nvmlInit_v2"}, {&count, "nvmlDeviceGetCount_v2"}, {&by_index, "nvmlDeviceGetHandleByIndex_v2"},
		{&by_uuid, "nvmlDeviceGetHandleByUUID"}, {&minor_of, "nvmlDeviceGetMinorNumber"}, {&name_of, "nvmlDeviceGetName"},
		{&uuid_of, "nvmlDeviceGetUUID"}, {&version, "nvmlSystemGetDriverVersion"}, {&field_values, "nvmlDeviceGetFieldValues"},
		{&utilization, "nvmlDeviceGetUtilizationRates"}, {&memory, "nvmlDeviceGetMemoryInfo"},
	};
	for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++) {
		void *f = dlsym(lib, all[i].name);
		if (!f)
			fail(FUNCTION_NOT_FOUND, all[i].name);
		memcpy(all[i].to, &f, sizeof f);
	}
}

/* A number is that of the device file, whatever the order of the library is. */
static int open_device(const char *name, device_t *d)
{
	char *end;
	unsigned long want = strtoul(name, &end, 10);
	if (*end || !*name)
		return by_uuid(name, d);
	unsigned n = 0, minor;
	int status = count(&n);
	for (unsigned i = 0; !status && i < n; i++)
		if (!by_index(i, d) && !minor_of(*d, &minor) && minor == want)
			return SUCCESS;
	return status ? status : NOT_FOUND;
}

/* Says who a device is: its minor number, memory and UUID, and in a record of its own
 * its name. */
static void introduce(int i, const char *name)
{
	struct record r = record_of(DEVICE, i);
	unsigned minor = 0;
	struct memory m = {0};
	char *text = (char *)&r.value[2];
	r.status[0] = open_device(name, &devices[i].handle);
	if (r.status[0] == SUCCESS) {
		r.status[1] = minor_of(devices[i].handle, &minor);
		r.status[2] = memory(devices[i].handle, &m);
		uuid_of(devices[i].handle, text, 48);
		r.value[0] = minor;
		r.value[1] = m.total;
	}
	devices[i].lost = r.status[0] != SUCCESS;
	put(&r);
	struct record named = record_of(NAME, i);
	text = (char *)named.value;
	memset(text, 0, sizeof named.value);
	if (!devices[i].lost && name_of(devices[i].handle, text, sizeof named.value - 1) == SUCCESS)
		put(&named);
}

static uint64_t number(const struct field *f)
{
	switch (f->type) {
	case TYPE_DOUBLE: return f->value.d < 0 ? 0 : (uint64_t)f->value.d;
	case TYPE_UINT: return f->value.ui;
	case TYPE_ULONG: return f->value.ul;
	default: return f->value.ull;
	}
}

/* One reading: one call for the fields, and one for the utilization. */
static void read_device(int i, int seldom)
{
	struct record r = record_of(READING, i);
	struct field f[FIELDS];
	struct utilization u;
	struct memory m;
	unsigned n = 0, which[FIELDS];
	memset(f, 0, sizeof f);
	for (unsigned k = 0; k < FIELDS; k++)
		if (!(devices[i].bad & 1u << k) && (seldom || fields[k].value < POWER_CAP || fields[k].value > POWER_BRAKE)) {
			f[n].id = fields[k].id;
			which[n++] = k;
		}
	int status = n ? field_values(devices[i].handle, n, f) : SUCCESS;
	for (unsigned k = 0; k < n; k++) {
		unsigned v = fields[which[k]].value;
		r.status[v] = status ? status : (int)f[k].status;
		r.value[v] = r.status[v] ? 0 : number(&f[k]);
		if (r.status[v] == NOT_SUPPORTED)
			devices[i].bad |= 1u << which[k];
	}
	r.status[KERNEL] = utilization(devices[i].handle, &u);
	r.value[KERNEL] = r.status[KERNEL] ? 0 : u.gpu;
	if (seldom) {
		r.status[USED] = r.status[TOTAL] = memory(devices[i].handle, &m);
		r.value[USED] = r.status[USED] ? 0 : m.used;
		r.value[TOTAL] = r.status[TOTAL] ? 0 : m.total;
	}
	devices[i].lost = status == GPU_IS_LOST || r.status[KERNEL] == GPU_IS_LOST;
	put(&r);
}

/* Which clock a stamp in us is of: 1 wall, 2 monotonic, 3 boot, 0 none within 2 s. */
static int domain(long long us)
{
	static const clockid_t clocks[] = {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_BOOTTIME};
	for (int i = 0; i < 3; i++)
		if (llabs(now(clocks[i]) / 1000 - us) < 2000000)
			return i + 1;
	return 0;
}

/* How often the driver has a new value: up to 100 calls for energy and power in 2 s,
 * fewer on a node that leaves this program no time: silence would be taken for a hang. */
static void measure_refresh(int i)
{
	struct record r = record_of(REFRESH, i);
	struct field f[2];
	uint64_t last[2] = {0}, changes[2] = {0};
	int64_t first[2] = {0}, latest[2] = {0}, calls = 0, spent = 0;
	for (int n = 0; n < 100 && now(CLOCK_MONOTONIC) - r.begun < 2000000000LL; n++) {
		memset(f, 0, sizeof f);
		f[0].id = 83;
		f[1].id = 186;
		int64_t t = now(CLOCK_MONOTONIC);
		int status = field_values(devices[i].handle, 2, f);
		int64_t end = now(CLOCK_MONOTONIC);
		spent += end - t;
		calls++;
		for (int k = 0; k < 2; k++) {
			r.status[k] = status ? status : (int)f[k].status;
			if (r.status[k])
				continue;
			uint64_t v = number(&f[k]);
			if (n > 0 && v != last[k]) {
				changes[k]++;
				latest[k] = t;
				if (!first[k])
					first[k] = t;
			}
			last[k] = v;
		}
		r.value[6] = domain(f[0].timestamp);
		wait_ms(20);
	}
	for (int k = 0; k < 2; k++) {
		r.value[2 * k] = changes[k] > 1 ? (uint64_t)(latest[k] - first[k]) / (changes[k] - 1) : 0;
		r.value[2 * k + 1] = changes[k];
	}
	r.value[4] = spent / calls;
	r.value[5] = calls;
	put(&r);
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
	clean_descriptors();
	int null = open("/dev/null", O_WRONLY);
	if (null >= 0)
		dup2(null, 2);
	if (null > 2)
		close(null);
	fcntl(1, F_SETFL, fcntl(1, F_GETFL) | O_NONBLOCK);
	setsid();
	int n = argc - 1;
	if (chdir("/") || n < 1 || n > MOST)
		return 2;
	open_library();
	int status = init();
	if (status)
		fail(status, "the driver could not be reached");
	struct record hello = record_of(HELLO, n);
	version((char *)hello.value, sizeof hello.value - 1);
	put(&hello);
	for (int i = 0; i < n; i++)
		introduce(i, argv[i + 1]);
	srandom(now(CLOCK_MONOTONIC) ^ getpid());
	int64_t slow = 0;
	for (unsigned beat = 0;; beat++) {
		int left = 0;
		int64_t begun = now(CLOCK_MONOTONIC);
		for (int i = 0; i < n; i++)
			if (!devices[i].lost) {
				left++;
				read_device(i, beat % SELDOM == 0);
			}
		if (!left)
			fail(GPU_IS_LOST, "no GPU is left");
		/* Calls that take long are made less often: 1/200 of the time for a GPU. */
		slow = (now(CLOCK_MONOTONIC) - begun) * 200 / left / 1000000;
		if (beat == 0)
			for (int i = 0; i < n; i++)
				if (!devices[i].lost) {
					measure_refresh(i);
					break;
				}
		int ms = LEAST_MS + random() % (MORE_MS + 1);
		wait_ms(ms > slow ? ms : slow < MOST_MS ? slow : MOST_MS);
	}
}
