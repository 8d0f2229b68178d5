/*
 * What an ordinary user can do to our programs while they work for him.
 *
 * attack swap A B       exchanges A and B, again and again
 * attack torment ID stop|kill
 *                       stops or kills every child with our uid of a jobgait
 *                       process that works on job ID
 * attack bigenv S       has an environment of 100 MB for S seconds, or says
 *                       why it has not
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <linux/prctl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

static void swap(const char *a, const char *b)
{
	for (;;)
		if (renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE))
			usleep(100);
}

/* slurp reads a file of /proc/PID, with blanks for its zeros. */
static ssize_t slurp(const char *pid, const char *name, char *buf, size_t size)
{
	char path[300];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%s/%s", pid, name);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return -1;
	n = read(fd, buf, size - 1);
	close(fd);
	buf[n > 0 ? n : 0] = 0;
	for (ssize_t i = 0; i < n; i++)
		if (!buf[i])
			buf[i] = ' ';
	return n;
}

static void torment(const char *job, int sig)
{
	char mention[40], status[4096], line[4096], parent[20], *at;
	int uid, ppid;

	snprintf(mention, sizeof(mention), "-%s.", job);
	for (;; usleep(200)) {
		DIR *proc = opendir("/proc");
		struct dirent *e;

		while (proc && (e = readdir(proc))) {
			if (!isdigit(e->d_name[0]) || slurp(e->d_name, "status", status, sizeof(status)) <= 0 ||
			    strncmp(status, "Name:\tjobgait", 13) ||
			    !(at = strstr(status, "\nUid:")) || sscanf(at, "\nUid: %d", &uid) != 1 || uid != (int)getuid() ||
			    !(at = strstr(status, "\nPPid:")) || sscanf(at, "\nPPid: %d", &ppid) != 1)
				continue;
			snprintf(parent, sizeof(parent), "%d", ppid);
			if (slurp(parent, "cmdline", line, sizeof(line)) > 0 && strstr(line, mention) &&
			    !kill(atoi(e->d_name), sig)) {
				puts(e->d_name);
				fflush(stdout);
			}
		}
		if (proc)
			closedir(proc);
	}
}

static int bigenv(int seconds)
{
	const size_t size = 100 << 20;
	static const char one[] = "SLURM_JOB_COMMENT=0123456789abcdef";
	char stat[4096], *at;
	unsigned long v[60] = { 0 };
	char *env = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int n = 2;

	if (env == MAP_FAILED || slurp("self", "stat", stat, sizeof(stat)) <= 0 || !(at = strrchr(stat, ')'))) {
		perror("bigenv");
		return 1;
	}
	for (size_t i = 0; i + sizeof(one) <= size; i += sizeof(one))
		memcpy(env + i, one, sizeof(one));
	/* Field 3 comes after the name; a letter counts as a number. */
	for (at = strtok(at + 1, " "); at && n < 58; at = strtok(NULL, " "))
		v[++n] = strtoul(at, NULL, 10);
	struct prctl_mm_map map = {
		.start_code = v[26], .end_code = v[27], .start_data = v[45], .end_data = v[46],
		.start_brk = v[47], .brk = (unsigned long)sbrk(0), .start_stack = v[28],
		.arg_start = v[48], .arg_end = v[49],
		.env_start = (unsigned long)env, .env_end = (unsigned long)env + size,
		.exe_fd = (__u32)-1,
	};
	if (prctl(PR_SET_MM, PR_SET_MM_MAP, &map, sizeof(map), 0)) {
		perror("bigenv: PR_SET_MM_MAP");
		return 1;
	}
	puts("big");
	fflush(stdout);
	sleep(seconds);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "swap"))
		swap(argv[2], argv[3]);
	if (argc == 4 && !strcmp(argv[1], "torment"))
		torment(argv[2], strcmp(argv[3], "stop") ? SIGKILL : SIGSTOP);
	if (argc == 3 && !strcmp(argv[1], "bigenv"))
		return bigenv(atoi(argv[2]));
	fprintf(stderr, "usage: attack swap A B | torment ID stop|kill | bigenv S\n");
	return 2;
}
