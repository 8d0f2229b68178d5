"""jobgait for Open OnDemand: the user's jobs, their reports and dashboard, as web pages.

Passenger runs this file as the user. Requests name a job id at most; pages come from the
program jobgait (JOBGAIT, by default /usr/bin/jobgait), which reads what the user may read.
No file is opened here, no path or option comes from a request, and nothing needs JavaScript.

    /            the user's newest jobs; the tasks of an array share one row
    /jobs/ID     report of a job (123, or 123_7 for task 7 of an array); of an array its summary
    /jobs/ID.txt the same as text
    /dashboard   all histories of the user
"""

import calendar
import html
import json
import os
import pwd
import re
import subprocess
import time

JOB = re.compile(r"/jobs/([1-9][0-9]{0,18}(?:[_+][0-9]{1,18})?)(\.txt)?")
LIMIT_S = 60  # of one page
NEWEST = 500  # runs in the list
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
td{vertical-align:top}td:last-child{white-space:normal;min-width:9em}td.n,th.n{text-align:right}a{color:#0a58a4}.none{color:#666}.wide{overflow-x:auto}
.bad{color:#a33000;font-weight:600}summary{cursor:pointer;color:#666}details a{display:block}
pre{background:#f4f6f8;padding:.8em;overflow-x:auto}"""
FINE = ("COMPLETED", "RUNNING", "REQUEUED")


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


def length(seconds):
    """A cycle's length with three digits and its unit."""
    if not isinstance(seconds, (int, float)) or seconds <= 0:
        return ""
    for unit, name in ((1, "s"), (1e-3, "ms")):
        if seconds >= unit:
            break
    return "%.3g %s" % (seconds / unit, name)


def local(start):
    """A time of UTC as the portal's local time."""
    try:
        at = calendar.timegm(time.strptime(start, "%Y-%m-%dT%H:%M:%SZ"))
    except (TypeError, ValueError):
        return html.escape(str(start or ""))
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(at))


def link(base, name):
    """A job id as a link to its page."""
    shown = html.escape(name)
    if not JOB.fullmatch("/jobs/" + name):
        return shown
    return '<a href="%s/jobs/%s">%s</a>' % (html.escape(base, quote=True), shown, shown)


def states(tasks):
    """The states of a job's tasks, the most frequent first, with their numbers if they differ."""
    counts = {}
    for task in tasks:
        name = str(task.get("state") or "not known yet")
        counts[name] = counts.get(name, 0) + 1
    parts = []
    for name, n in sorted(counts.items(), key=lambda c: -c[1]):
        text = html.escape(name if len(counts) == 1 else "%s %d" % (name, n))
        if name == "not known yet":
            text = "<span class=none>%s</span>" % text
        elif name not in FINE:
            text = "<span class=bad>%s</span>" % text
        parts.append(text)
    return ", ".join(parts)


def row(base, name, tasks):
    """The row of one job: of an array or a heterogeneous job the newest task, the median of elapsed, all tasks."""
    newest, shown = tasks[0], link(base, name)
    if len(tasks) > 1:
        what = "components" if "+" in tasks[0]["job_id"] else "tasks"
        shown += "<details><summary>%d %s</summary>%s</details>" % (
            len(tasks), what, "".join(link(base, t["job_id"]) for t in reversed(tasks)))
    elapsed = sorted(t.get("elapsed_s") or 0 for t in tasks)
    findings = [t for t in tasks if t.get("finding_name")] or [{}]
    return "<tr><td>%s<td>%s<td>%s<td>%s<td class=n>%s<td class=n>%s<td>%s" % (
        shown, html.escape(str(newest.get("app") or "")), states(tasks), local(newest.get("start")),
        ("median " if len(tasks) > 1 else "") + clock(elapsed[len(elapsed) // 2]),
        "" if len(tasks) > 1 else length(newest.get("step_s") or newest.get("period_s")),
        html.escape(str(findings[0].get("finding_name") or "")))


def jobs(base):
    """The page with the user's jobs."""
    found = {}  # lists of tasks, in the order of the list; a requeued job has a row for each run
    out = jobgait("list", "--json", "--limit", str(NEWEST), "--user", pwd.getpwuid(os.getuid()).pw_name)
    for line in out.decode("utf-8", "replace").splitlines():
        job = json.loads(line)
        job["job_id"] = str(job.get("job_id") or "")
        name, *task = re.split("[_+]", job["job_id"])
        found.setdefault((name, job.get("cluster"), None if task else len(found)), []).append(job)
    if not found:
        return page("Your jobs", "<p class=none>No job of yours is in the history yet.")
    rows = [row(base, key[0] if len(tasks) > 1 else tasks[0]["job_id"], tasks) for key, tasks in found.items()]
    return page("Your jobs", '<p><a href="%s/dashboard">Changes and scaling of all your applications</a>'
                "<div class=wide><table>"
                "<tr><th>Job<th>Application<th>State<th>Start<th class=n>Elapsed<th class=n>Cycle<th>First finding%s"
                "</table></div>"
                % (html.escape(base, quote=True), "".join(rows)))


def summary(base, name, text):
    """The page of an array or a heterogeneous job: its summary, in which the ids of its tasks are links."""
    shown = re.sub(r"\b%s[_+][0-9]+" % re.escape(name), lambda task: link(base, task[0]), html.escape(text))
    return page("Job " + name, '<p><a href="%s/">Your jobs</a><pre>%s</pre>' % (html.escape(base, quote=True), shown))


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
    text = b"" if re.search("[_+]", found[1]) and not found[2] else jobgait("show", found[1])
    if found[2]:
        return text, "text/plain; charset=utf-8", OWN
    if text.startswith((b"Array ", b"Heterogeneous job ")):
        return summary(base, found[1], text.decode("utf-8", "replace")), text_html, OWN
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
        home = html.escape(environ.get("SCRIPT_NAME", ""), quote=True) + "/"
        body = page("jobgait", '<p>%s<p><a href="%s">Your jobs</a>' % (html.escape(e.text), home))
    start_response(status, HEADERS + [("Content-Type", kind), ("Content-Security-Policy", policy),
                                      ("Content-Length", str(len(body)))])
    return [] if environ.get("REQUEST_METHOD") == "HEAD" else [body]
