"""jobgait for Open OnDemand: the user's jobs, their reports and dashboard, as web pages.

Passenger runs this file as the user. Requests name a job id at most; pages come from the
program jobgait (JOBGAIT, by default /usr/bin/jobgait), which reads what the user may read.
No file is opened here, no path or option comes from a request, and nothing needs JavaScript.

    /            the user's newest jobs
    /jobs/ID     report of a job (123, or 123_7 for task 7 of an array)
    /jobs/ID.txt the same as text
    /dashboard   all histories of the user
"""

import html
import json
import os
import pwd
import re
import subprocess

JOB = re.compile(r"/jobs/([1-9][0-9]{0,18}(?:[_+][0-9]{1,18})?)(\.txt)?")
LIMIT_S = 60  # of one page
LARGEST = 64 << 20  # bytes of one page
HEADERS = [
    ("Cache-Control", "private, no-store"),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
]
# A report has a policy of its own in its head; both hold. Pages of this file have no script.
FRAMES = "frame-ancestors 'self'; base-uri 'none'; form-action 'none'"
OWN = "default-src 'none'; style-src 'unsafe-inline'; " + FRAMES
STYLE = """body{font:15px/1.4 sans-serif;margin:1.5em auto;max-width:70em;padding:0 1em;color:#222}
h1{font-size:1.3em}table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:.3em .7em;border-bottom:1px solid #ddd;white-space:nowrap}
td.n,th.n{text-align:right}a{color:#0a58a4}.none{color:#666}.wide{overflow-x:auto}"""


class Failed(Exception):
    """A status line and a sentence for the user."""

    def __init__(self, status, text):
        super().__init__(text)
        self.status, self.text = status, text


def jobgait(*args):
    """What the program prints with the user's rights."""
    program = os.environ.get("JOBGAIT", "/usr/bin/jobgait")
    user = pwd.getpwuid(os.getuid())
    env = {"HOME": user.pw_dir, "USER": user.pw_name, "LOGNAME": user.pw_name, "LC_ALL": "C.UTF-8",
           "PATH": "/usr/bin:/bin"}
    for name in ("JOBGAIT_CONFIG", "SLURM_CONF", "TZ"):
        if name in os.environ:
            env[name] = os.environ[name]
    try:
        done = subprocess.run([program, *args], env=env, cwd="/", stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        raise Failed("504 Gateway Timeout", "jobgait took longer than %d s." % LIMIT_S) from None
    except OSError as e:
        raise Failed("500 Internal Server Error", "%s cannot be run: %s." % (program, e.strerror)) from None
    if done.returncode != 0:
        why = done.stderr.decode("utf-8", "replace").strip() or "jobgait failed"
        raise Failed("404 Not Found", why)
    if len(done.stdout) > LARGEST:
        raise Failed("500 Internal Server Error", "The page has more than %d MB." % (LARGEST >> 20))
    return done.stdout


def page(title, body):
    return ("<!DOCTYPE html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>"
            "<title>%s</title><style>%s</style><h1>%s</h1>%s</html>\n"
            % (html.escape(title), STYLE, html.escape(title), body)).encode("utf-8", "replace")


def clock(seconds):
    s = int(round(seconds or 0))
    days = "%d-" % (s // 86400) if s >= 86400 else ""
    return "%s%02d:%02d:%02d" % (days, s // 3600 % 24, s // 60 % 60, s % 60)


def number(value, form):
    return html.escape(form % value) if isinstance(value, (int, float)) else ""


def jobs(base):
    """The page with the user's jobs."""
    rows = []
    out = jobgait("list", "--json", "--limit", "200", "--user", pwd.getpwuid(os.getuid()).pw_name)
    for line in out.decode("utf-8", "replace").splitlines():
        job = json.loads(line)
        name = str(job.get("job_id") or "")
        shown = html.escape(name)
        if JOB.fullmatch("/jobs/" + name):
            shown = '<a href="%s/jobs/%s">%s</a>' % (html.escape(base, quote=True), shown, shown)
        rows.append("<tr><td>%s<td>%s<td>%s<td>%s<td class=n>%s<td class=n>%s<td>%s" % (
            shown, html.escape(str(job.get("app") or "")), html.escape(str(job.get("state") or "")),
            html.escape(str(job.get("start") or "")), clock(job.get("elapsed_s")),
            number(job.get("period_s"), "%.4g s"), html.escape(str(job.get("finding") or ""))))
    if not rows:
        return page("Your jobs", "<p class=none>No job of yours is in the history yet.")
    return page("Your jobs", '<p><a href="%s/dashboard">All histories on one page</a><div class=wide><table>'
                "<tr><th>Job<th>Application<th>State<th>Start<th class=n>Elapsed<th class=n>Cycle<th>Finding%s"
                "</table></div>"
                % (html.escape(base, quote=True), "".join(rows)))


def answer(path, base):
    """Body, content type and policy of a path."""
    text_html = "text/html; charset=utf-8"
    if path in ("", "/"):
        return jobs(base), text_html, OWN
    if path == "/dashboard":
        return jobgait("dashboard", "-o", "/dev/stdout"), text_html, FRAMES
    found = JOB.fullmatch(path)
    if not found:
        raise Failed("404 Not Found", "There is no such page.")
    if found[2]:
        return jobgait("show", found[1]), "text/plain; charset=utf-8", OWN
    return jobgait("show", "--html", found[1]), text_html, FRAMES


def application(environ, start_response):
    """The WSGI application."""
    try:
        if os.getuid() == 0:
            raise Failed("403 Forbidden", "This application does not run as root.")
        if environ.get("REQUEST_METHOD", "GET") not in ("GET", "HEAD"):
            raise Failed("405 Method Not Allowed", "Pages are only read.")
        status, (body, kind, policy) = "200 OK", answer(environ.get("PATH_INFO", ""), environ.get("SCRIPT_NAME", ""))
    except Failed as e:
        status, kind, policy = e.status, "text/html; charset=utf-8", OWN
        body = page("jobgait", "<p>%s" % html.escape(e.text))
    start_response(status, HEADERS + [("Content-Type", kind), ("Content-Security-Policy", policy),
                                      ("Content-Length", str(len(body)))])
    return [] if environ.get("REQUEST_METHOD") == "HEAD" else [body]
