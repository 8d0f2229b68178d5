package ondemand

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"jobgait/agent/job/jobtest"
	"jobgait/analysis/history"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

// webUID and webUser are the account of the application in tests.
const webUID, webUser = 65534, "nobody"

// python is that of the distribution, which Passenger runs.
const python = "/usr/bin/python3"

// site is an installation with a history of two users' jobs; what is in it can be read by all.
type site struct{ dir, program, settings string }

func newSite(t *testing.T) site {
	t.Helper()
	if _, err := os.Stat(python); err != nil || os.Geteuid() != 0 {
		t.Skip("needs root, to run as another user, and " + python)
	}
	dir, err := os.MkdirTemp("", "jobgait-ondemand-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s := site{dir, filepath.Join(dir, "jobgait"), filepath.Join(dir, "jobgait.toml")}
	jobtest.InstallProgram(t, s.program, "jobgait/reports/jobgait")
	path := filepath.Join(dir, "history.db")
	db, err := history.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	now := float64(time.Now().Unix())
	for id := run.JobID(1); id <= 7; id++ { // the last is of another user
		user, uid := webUser, webUID
		if id == 7 {
			user, uid = "somebody", webUID-1
		}
		if err := db.Put(t.Context(), summary.Summary{Schema: summary.Schema, Key: run.Key{Cluster: "c1", JobID: id},
			Job:   run.Job{Name: "<script>alert(1)</script>", App: "melt", User: user, UID: uid, NNodes: 1},
			Start: now - 1000*float64(8-id), End: now - 1000*float64(8-id) + 60, ElapsedS: 60 + float64(id), Exit: &run.Exit{},
			State: "COMPLETED", Quality: run.Quality{Scope: "job"}}, history.Ingest{}); err != nil {
			t.Fatal(err)
		}
	}
	for task := range int64(3) { // an array, its second task failed
		array, state := int64(20), "COMPLETED"
		if task == 1 {
			state = "FAILED"
		}
		if err := db.Put(t.Context(), summary.Summary{Schema: summary.Schema,
			Key: run.Key{Cluster: "c1", JobID: 20 + run.JobID(task)},
			Job: run.Job{Name: "sweep", App: "melt", User: webUser, UID: webUID, NNodes: 1, ArrayJobID: &array,
				ArrayTaskID: &task},
			Start: now - 100, End: now - 90, ElapsedS: 10 + float64(task), Exit: &run.Exit{}, State: state,
			Quality: run.Quality{Scope: "job"}}, history.Ingest{}); err != nil {
			t.Fatal(err)
		}
	}
	text := fmt.Sprintf("[history]\npath = %q\n[slurm]\nsacct = \"\"\nscontrol = \"\"\n", path)
	if err := errors.Join(db.Close(), os.WriteFile(s.settings, []byte(text), 0o644), os.Chmod(dir, 0o755),
		os.Chown(dir, webUID, webUID), os.Chown(path, webUID, webUID)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"passenger_wsgi.py", "manifest.yml"} {
		b, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), b, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// call runs one request as Passenger does and prints what the application answers.
const call = `import sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import passenger_wsgi
def start(status, headers):
    print(status)
    for h in headers: print("%s: %s" % h)
    print()
environ = {"REQUEST_METHOD": sys.argv[2], "PATH_INFO": sys.argv[3], "SCRIPT_NAME": "/pun/sys/jobgait"}
body = passenger_wsgi.application(environ, start)
sys.stdout.flush()
sys.stdout.buffer.write(b"".join(body))`

func (s site) request(t *testing.T, uid uint32, method, path string) string {
	t.Helper()
	cmd := exec.Command(python, "-c", call, s.dir, method, path)
	cmd.Dir = "/"
	cmd.Env = []string{"JOBGAIT=" + s.program, "JOBGAIT_CONFIG=" + s.settings}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", method, path, err, &complaint)
	}
	return string(out)
}

func TestPages(t *testing.T) {
	s := newSite(t)
	for _, c := range []struct {
		path, status string
		want         []string
	}{
		{"/", "200 OK", []string{`<a href="/pun/sys/jobgait/jobs/6">6</a>`, "<td>melt<td>COMPLETED<td>",
			"default-src 'none'", "name=viewport", "<div class=wide><table>", "<td>not sampled",
			`<a href="/pun/sys/jobgait/jobs/20">20</a><details><summary>3 tasks</summary>` +
				`<a href="/pun/sys/jobgait/jobs/20_0">20_0</a>`,
			"COMPLETED 2, <span class=bad>FAILED 1</span>", "median 00:00:11"}},
		{"/jobs/20", "200 OK", []string{"<pre>Array 20: 3 tasks", "COMPLETED 2, FAILED 1", "default-src 'none'",
			`slowest  <a href="/pun/sys/jobgait/jobs/20_2">20_2</a>`}},
		{"/jobs/20_1", "200 OK", []string{"Job 20_1", "frame-ancestors 'self'"}},
		{"/jobs/3", "200 OK", []string{"Job 3", "text/html", "frame-ancestors 'self'",
			`http-equiv="Content-Security-Policy"`}},
		{"/jobs/3.txt", "200 OK", []string{"text/plain", "=== jobgait"}},
		{"/dashboard", "200 OK", []string{"text/html", "melt"}},
		{"/jobs/99", "404 Not Found", []string{"no run of job 99"}},
		{"/jobs/../../etc/passwd", "404 Not Found", []string{"no such page"}},
		{"/jobs/--history=x", "404 Not Found", []string{"no such page"}},
		{"/jobs/3\n", "404 Not Found", []string{"no such page"}},
		{"/etc/passwd", "404 Not Found", []string{"no such page"}},
	} {
		got := s.request(t, webUID, "GET", c.path)
		if !strings.HasPrefix(got, c.status+"\n") ||
			strings.Contains(got, "text/html") && strings.Contains(got, "<script>alert") ||
			c.path == "/" && strings.Contains(got, "/jobs/7") {
			t.Errorf("%q: %.300s", c.path, got)
		}
		for _, want := range append(c.want, "X-Content-Type-Options: nosniff") {
			if !strings.Contains(got, want) {
				t.Errorf("%q: no %q in %.1500s", c.path, want, got)
			}
		}
	}
	if got := s.request(t, webUID, "POST", "/"); !strings.HasPrefix(got, "405 ") {
		t.Errorf("POST: %.200s", got)
	}
	if got := s.request(t, 0, "GET", "/"); !strings.HasPrefix(got, "403 ") {
		t.Errorf("root: %.200s", got)
	}
	// A history that the user may not read answers 404.
	if err := os.Chown(filepath.Join(s.dir, "history.db"), 0, 0); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(s.dir, "history.db"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := s.request(t, webUID, "GET", "/jobs/3"); !strings.HasPrefix(got, "404 ") ||
		!strings.Contains(got, "may not read") {
		t.Errorf("%.400s", got)
	}
}

// apache is a configuration with one application under Passenger, as Open OnDemand starts it: with the user's rights.
const apache = `ServerRoot "%[1]s"
ServerName localhost
Listen 127.0.0.1:%[2]d
PidFile %[1]s/apache.pid
ErrorLog %[1]s/error.log
User www-data
Group www-data
LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
LoadModule env_module /usr/lib/apache2/modules/mod_env.so
LoadModule passenger_module /usr/lib/apache2/modules/mod_passenger.so
PassengerRoot /usr/lib/ruby/vendor_ruby/phusion_passenger/locations.ini
PassengerDefaultRuby /usr/bin/ruby
PassengerPython /usr/bin/python3
PassengerInstanceRegistryDir %[1]s
PassengerDisableSecurityUpdateCheck on
PassengerDisableAnonymousTelemetry on
DocumentRoot %[1]s/public
<Directory %[1]s/public>
  Require all granted
</Directory>
PassengerAppRoot %[1]s
PassengerAppType wsgi
PassengerStartupFile passenger_wsgi.py
PassengerUser nobody
PassengerGroup nogroup
SetEnv JOBGAIT %[3]s
SetEnv JOBGAIT_CONFIG %[4]s
`

// TestPassenger is run by hand: JOBGAIT_PASSENGER=1, as root, with apache2 and libapache2-mod-passenger. JOBGAIT_PNG
// names a file for a picture of the first page.
func TestPassenger(t *testing.T) {
	if os.Getenv("JOBGAIT_PASSENGER") == "" {
		t.Skip("run by hand: JOBGAIT_PASSENGER=1, with apache2 and libapache2-mod-passenger")
	}
	s := newSite(t)
	const port = 18099
	conf := filepath.Join(s.dir, "apache.conf")
	if err := errors.Join(os.Mkdir(filepath.Join(s.dir, "public"), 0o755),
		os.WriteFile(conf, fmt.Appendf(nil, apache, s.dir, port, s.program, s.settings), 0o644)); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	server := exec.Command("/usr/sbin/apache2", "-f", conf, "-D", "FOREGROUND")
	server.Stdout, server.Stderr = &log, &log
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = server.Process.Signal(syscall.SIGTERM)
		_ = server.Wait()
	}()
	url := fmt.Sprintf("http://127.0.0.1:%d", port)
	get := func(path string) (int, http.Header, string) {
		r, err := http.Get(url + path)
		if err != nil {
			return 0, nil, err.Error()
		}
		defer func() { _ = r.Body.Close() }()
		b, _ := io.ReadAll(r.Body)
		return r.StatusCode, r.Header, string(b)
	}
	status, header, body := 0, http.Header{}, ""
	jobtest.Poll(time.Minute, func() bool {
		status, header, body = get("/")
		return status == 200
	})
	if status != 200 || !strings.Contains(body, `<a href="/jobs/6">6</a>`) ||
		!strings.Contains(header.Get("Content-Security-Policy"), "default-src 'none'") {
		errorLog, _ := os.ReadFile(filepath.Join(s.dir, "error.log"))
		t.Fatalf("%d %v %s\n%s\n%s", status, header, body, &log, errorLog)
	}
	for path, want := range map[string]int{"/jobs/3": 200, "/jobs/3.txt": 200, "/dashboard": 200, "/jobs/99": 404,
		"/jobs/..%2f..%2fetc%2fpasswd": 404, "/passenger_wsgi.py": 404, "/jobgait.toml": 404} {
		if status, _, body := get(path); status != want || strings.Contains(body, "subprocess") {
			t.Errorf("%s: %d, want %d: %.200s", path, status, want, body)
		}
	}
	if png := os.Getenv("JOBGAIT_PNG"); png != "" {
		out, err := exec.Command("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1100,500",
			"--screenshot="+png, url+"/").CombinedOutput()
		if err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
}
