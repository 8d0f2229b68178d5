// Package polled is for counters that have no timer of their own and are read by polling: files of /proc and
// /sys, a device's registers, a driver's library. A Meter that says what is read comes in; a counter.Source
// goes out, with its own rate of 1 to 20 Hz, gaps, devices that come and go, and reasons for what is absent.
//
// A new counter source is one directory and one line:
//
//  1. Make agent/counter/NAME with a function Open that returns an Opener:
//     polled.Open of a CounterKind for each thing that may be missing by itself.
//  2. Its Open returns a Meter if the device exists; an error is the reason that the
//     profile and the report give.
//  3. Meter.Columns are all levels (Gauge: a temperature) or all counts that only
//     grow (bytes). Their Scope is "node", or "job" where it is the job's alone; units
//     and names are those of the report.
//  4. Meter.Read fills the cells, one for each column of each device, and leaves what
//     is not there at NoCell. It must not allocate; package kernel has files that are
//     held open (NewNumber). Where firmware answers, or may not, set Hangs.
//  5. Name it in the one list, host.nodeFileOpeners (agent/counteropener.go). Its columns are in the
//     profile, the report's counters and `jobgait-agent probe` then. A source of the node is opened only where
//     the job has the node exclusively. A source of the job's cgroup is a line in kernel.JobUsage or
//     kernel.JobLimits; probe does not show the latter. A readable name is a line in columnLabel
//     (reports/job/labels.go).
//
// TestThirtyLines is such a source of 30 lines.
//
// What takes more than 1/200 of the time between readings is read less often. A meter that hangs is read in a
// goroutine of its own, by system calls that the runtime knows of: 3.2 us a reading instead of 1.5
// (BenchmarkAside of kernel), and a drain waits 20 ms for it at most, once. A missing value is reported as
// missing, never as 0.
//
// The package is not for fast counters: readings are not on the grid, and a period of some seconds is the
// shortest that such a column can show.
package polled
