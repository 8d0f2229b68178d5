/* Tests of the option and of the plugstack.conf arguments, under sanitizers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "option.h"

#define MAX_HZ 4000u
#define A16 "aaaaaaaaaaaaaaaa"
#define A64 A16 A16 A16 A16

static int failures;

static void expect(int ok, const char *input, const char *what)
{
	if (ok)
		return;
	failures++;
	fprintf(stderr, "FAIL \"%s\": %s\n", input, what);
}

static const struct {
	const char *text;
	int rv;
	const char *sampling, *app, *size;
} cases[] = {
	{ "off", 0, "off", "", "" },
	{ "500", 0, "500", "", "" },
	{ "0500", 0, "500", "", "" },
	{ "4000", 0, "4000", "", "" },
	{ "1", 0, "1", "", "" },
	{ "app=melt", 0, "", "melt", "" },
	{ "size=64 x 64", 0, "", "", "64 x 64" },
	{ "app=a=b", 0, "", "a=b", "" },
	{ "1000,app=melt,size=8000", 0, "1000", "melt", "8000" },
	{ "off,500", 0, "500", "", "" },
	{ "500,off", 0, "off", "", "" },
	{ "app=one,app=two", 0, "", "two", "" },
	{ "app=$(id);`id`<b>'\"", 0, "", "$(id);`id`<b>'\"", "" },
	{ "app=" A64, 0, "", A64, "" },
	{ "app=off", 0, "", "off", "" },
	{ "", -1, "", "", "" },
	{ "on", -1, "", "", "" },
	{ "OFF", -1, "", "", "" },
	{ "offf", -1, "", "", "" },
	{ "0", -1, "", "", "" },
	{ "4001", -1, "", "", "" },
	{ "00500", 0, "500", "", "" },
	{ "000500", -1, "", "", "" },
	{ "99999999999999999999", -1, "", "", "" },
	{ "-1", -1, "", "", "" },
	{ "+1", -1, "", "", "" },
	{ "5e2", -1, "", "", "" },
	{ " 500", -1, "", "", "" },
	{ "app", -1, "", "", "" },
	{ "app=", -1, "", "", "" },
	{ "size=", -1, "", "", "" },
	{ "app=" A64 "a", -1, "", "", "" },
	{ "app=a\nb", -1, "", "", "" },
	{ "app=\033[31m", -1, "", "", "" },
	{ "app=\x7f", -1, "", "", "" },
	{ "size=\xc3\xa9", -1, "", "", "" },
	{ "off,", -1, "", "", "" },
	{ ",off", -1, "", "", "" },
	{ "off,,app=a", -1, "", "", "" },
	{ "name=x", -1, "", "", "" },
};

static void test_cases(void)
{
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct option_value v = { .sampling = "" };
		char why[160] = "";
		int rv = option_parse(&v, cases[i].text, MAX_HZ, why, sizeof(why));

		expect(rv == cases[i].rv, cases[i].text, "return value");
		expect(!strcmp(v.sampling, cases[i].sampling), cases[i].text, v.sampling);
		expect(!strcmp(v.app, cases[i].app), cases[i].text, v.app);
		expect(!strcmp(v.size, cases[i].size), cases[i].text, v.size);
		expect((rv == 0) == (why[0] == '\0'), cases[i].text, "a reason if and only if refused");
	}
}

/* The option is repeatable, and a refused value changes nothing. */
static void test_repeat(void)
{
	struct option_value v = { .sampling = "" };
	char why[160];

	expect(!option_parse(&v, "app=melt", MAX_HZ, why, sizeof(why)), "app=melt", "refused");
	expect(!option_parse(&v, "off", MAX_HZ, why, sizeof(why)), "off", "refused");
	expect(option_parse(&v, "app=other,size=", MAX_HZ, why, sizeof(why)), "app=other,size=", "taken");
	expect(!strcmp(v.app, "melt") && !strcmp(v.sampling, "off") && !v.size[0], "repeat", v.app);
	expect(option_parse(&v, NULL, MAX_HZ, why, sizeof(why)), "(null)", "taken");
}

/* Labels add up, as far as there is room; a commit is one text. */
static void test_labels(void)
{
	struct option_value v = { .sampling = "" };
	char why[160];
	int i, taken = 0;

	expect(!option_parse(&v, "commit=abc,label=a=1,label=b=x=y", MAX_HZ, why, sizeof(why)), "labels", "refused");
	expect(!strcmp(v.commit, "abc") && !strcmp(v.labels, "a=1,b=x=y"), "labels", v.labels);
	expect(!option_parse(&v, "names=off", MAX_HZ, why, sizeof(why)) && !strcmp(v.names, "off"), "names=off", v.names);
	expect(!option_parse(&v, "names=libraries,8", MAX_HZ, why, sizeof(why)) && !strcmp(v.names, "libraries"), "names=libraries", v.names);
	expect(option_parse(&v, "names=some", MAX_HZ, why, sizeof(why)), "names=some", "taken");
	expect(option_parse(&v, "label=a", MAX_HZ, why, sizeof(why)), "label=a", "taken");
	expect(option_parse(&v, "label==1", MAX_HZ, why, sizeof(why)), "label==1", "taken");
	expect(option_parse(&v, "label=a=", MAX_HZ, why, sizeof(why)), "label=a=", "taken");
	for (i = 0; i < 100; i++)
		taken += !option_parse(&v, "label=" A16 A16 "=" A16, MAX_HZ, why, sizeof(why));
	expect(taken > 0 && taken < 100 && strlen(v.labels) < sizeof(v.labels), "labels", "no bound");
}

static void test_config(void)
{
	struct plugin_config c = CONFIG_DEFAULT;
	char good[] = "max_hz=500", bad[] = "max_hz=5x", unknown[] = "max=1";
	char huge[] = "max_hz=99999999999999999999", sign[] = "max_hz=-1";
	char *all[] = { unknown, bad, huge, sign, good };
	char *one[] = { good };
	char why[160] = "";

	expect(!config_parse(&c, 1, one, why, sizeof(why)) && c.max_hz == 500, good, "taken");
	c.max_hz = 1;
	expect(config_parse(&c, 5, all, why, sizeof(why)) == -1 && c.max_hz == 500, bad, "faults do not hide what is right");
	expect(strstr(why, "max=1") != NULL, unknown, "names the first fault");
}

static int is_text(const char *s)
{
	size_t n = strnlen(s, OPTION_TEXT_MAX + 1);

	return n <= OPTION_TEXT_MAX && strspn(s, " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~") == n;
}

/*
 * Random pieces of legal and illegal text: whatever is taken is bounded and
 * printable, and off or a rate in range. The sanitizers watch the rest.
 */
static void test_random(void)
{
	static const char *const pieces[] = {
		"off", "500", "9", "0", "app=", "size=", ",", "=", "a", " ",
		"\n", "\033", "\xff", A64, "app", "99999", "-",
	};
	char text[2048], why[40];
	unsigned int i, seed = 22058;

	for (i = 0; i < 200000; i++) {
		struct option_value v = { .sampling = "" };
		int n = rand_r(&seed) % 9, hz;

		text[0] = '\0';
		while (n-- > 0)
			strcat(text, pieces[(size_t)rand_r(&seed) % (sizeof(pieces) / sizeof(pieces[0]))]);
		if (option_parse(&v, text, MAX_HZ, why, sizeof(why)))
			expect(!v.sampling[0] && !v.app[0] && !v.size[0], text, "refused but changed");
		hz = atoi(v.sampling);
		expect(!v.sampling[0] || !strcmp(v.sampling, "off") || (hz >= 1 && hz <= (int)MAX_HZ), text, v.sampling);
		expect(is_text(v.app) && is_text(v.size), text, "not bounded printable text");
	}
}

int main(void)
{
	test_cases();
	test_repeat();
	test_labels();
	test_config();
	test_random();
	if (failures)
		return 1;
	printf("option_test: ok\n");
	return 0;
}
