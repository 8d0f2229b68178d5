#include "option.h"

#include <stdio.h>
#include <string.h>

/*
 * The longest value that is looked at: three items at their longest, several
 * times over. A longer one is a mistake or an attack.
 */
#define VALUE_MAX 1024

/*
 * copy_text copies the n bytes at text if they are printable ASCII and neither
 * none nor too many. They reach a root process' environment, a report and a
 * database; control characters and escape sequences have no place there.
 */
static int copy_text(char *to, const char *key, const char *text, size_t n,
		     char *why, size_t why_size)
{
	size_t i;

	if (n == 0) {
		snprintf(why, why_size, "%s= needs a value", key);
		return -1;
	}
	if (n > OPTION_TEXT_MAX) {
		snprintf(why, why_size, "%s= is longer than %d characters", key,
			 OPTION_TEXT_MAX);
		return -1;
	}
	for (i = 0; i < n; i++) {
		if (text[i] < ' ' || text[i] > '~') {
			snprintf(why, why_size,
				 "%s= takes printable ASCII characters only",
				 key);
			return -1;
		}
	}
	memcpy(to, text, n);
	to[n] = '\0';
	return 0;
}

/* copy_rate takes 1 to max_hz, in digits and nothing else. */
static int copy_rate(char *to, const char *text, size_t n, unsigned int max_hz,
		     char *why, size_t why_size)
{
	unsigned int hz = 0;
	size_t i;

	if (max_hz > OPTION_HZ_MAX)
		max_hz = OPTION_HZ_MAX;
	for (i = 0; i < n && i < OPTION_HZ_DIGITS; i++)
		hz = hz * 10 + (unsigned int)(text[i] - '0');
	if (i < n || hz < 1 || hz > max_hz) {
		snprintf(why, why_size,
			 "the rate %.*s is out of range: want 1 to %u Hz",
			 n < 20 ? (int)n : 20, text, max_hz);
		return -1;
	}
	snprintf(to, OPTION_HZ_DIGITS + 1, "%u", hz);
	return 0;
}

/* has_key returns the length of "key=" if the item starts with it, else 0. */
static size_t has_key(const char *item, size_t n, const char *key)
{
	size_t k = strlen(key);

	return n > k && !memcmp(item, key, k) && item[k] == '=' ? k + 1 : 0;
}

/* add_label appends NAME=VALUE; both have to be there. */
static int add_label(char *labels, const char *text, size_t n, char *why,
		     size_t why_size)
{
	char label[OPTION_TEXT_MAX + 1];
	size_t used = strlen(labels), room;
	const char *equals;

	if (copy_text(label, "label", text, n, why, why_size))
		return -1;
	equals = strchr(label, '=');
	if (equals == NULL || equals == label || equals[1] == '\0') {
		snprintf(why, why_size, "label= needs NAME=VALUE");
		return -1;
	}
	room = sizeof(((struct option_value *)0)->labels) - used;
	if (n + 2 > room) {
		snprintf(why, why_size, "the labels together are too long: give fewer or shorter ones");
		return -1;
	}
	snprintf(labels + used, room, "%s%s", used ? "," : "", label);
	return 0;
}

/* copy_names takes how much is told of which code runs. */
static int copy_names(char *to, const char *text, size_t n, char *why,
		      size_t why_size)
{
	static const char *const known[] = { "all", "libraries", "off" };
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strlen(known[i]) == n && !memcmp(known[i], text, n)) {
			memcpy(to, known[i], n + 1);
			return 0;
		}
	}
	snprintf(why, why_size, "names= must be all, libraries or off");
	return -1;
}

/* parse_item takes one of off, HZ, app=, size=, commit=, names= and label=. */
static int parse_item(struct option_value *value, const char *item, size_t n,
		      unsigned int max_hz, char *why, size_t why_size)
{
	size_t skip;

	if (n == 3 && !memcmp(item, "off", 3)) {
		memcpy(value->sampling, "off", 4);
		return 0;
	}
	if (n > 0 && strspn(item, "0123456789") >= n)
		return copy_rate(value->sampling, item, n, max_hz, why,
				 why_size);
	if ((skip = has_key(item, n, "app")))
		return copy_text(value->app, "app", item + skip, n - skip, why,
				 why_size);
	if ((skip = has_key(item, n, "size")))
		return copy_text(value->size, "size", item + skip, n - skip,
				 why, why_size);
	if ((skip = has_key(item, n, "commit")))
		return copy_text(value->commit, "commit", item + skip, n - skip,
				 why, why_size);
	if ((skip = has_key(item, n, "names")))
		return copy_names(value->names, item + skip, n - skip, why,
				  why_size);
	if ((skip = has_key(item, n, "label")))
		return add_label(value->labels, item + skip, n - skip, why,
				 why_size);
	snprintf(why, why_size, "unknown item: want off, a rate in Hz, app=NAME, size=TEXT, commit=ID, names=off or label=NAME=VALUE");
	return -1;
}

int option_parse(struct option_value *value, const char *text,
		 unsigned int max_hz, char *why, size_t why_size)
{
	struct option_value next = *value;
	size_t n;

	if (text == NULL || *text == '\0') {
		snprintf(why, why_size, "it needs a value: off, a rate in Hz, app=NAME or size=TEXT");
		return -1;
	}
	if (strnlen(text, VALUE_MAX + 1) > VALUE_MAX) {
		snprintf(why, why_size, "its value is longer than %d characters: shorten it", VALUE_MAX);
		return -1;
	}
	for (;;) {
		n = strcspn(text, ",");
		if (parse_item(&next, text, n, max_hz, why, why_size))
			return -1;
		if (text[n] == '\0')
			break;
		text += n + 1;
	}
	*value = next;
	return 0;
}
