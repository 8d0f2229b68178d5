package job

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/base32"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"jobgait/analysis/finding"
	"jobgait/analysis/quantity"
	"jobgait/reports/text"
)

// Digest is a run in a few numbers and its first finding. It fits into one line of a job's output or into the
// accounting's comment field. nil and "" mean unknown. The keys of its JSON are short, because a comment has at
// most 1,000 characters.
type Digest struct {
	Ended         string   `json:"ended,omitempty"`
	ElapsedS      float64  `json:"elapsed_s"`
	BusyCPUs      *float64 `json:"busy_cpus,omitempty"`
	AllocatedCPUs *float64 `json:"cpus,omitempty"`
	PeakBytes     *float64 `json:"mem_peak,omitempty"`
	RequestBytes  *float64 `json:"mem,omitempty"`
	// PeriodS is the mean length of one cycle in s, Cycles their number, Share the part of the run inside cycles,
	// 0 to 1.
	PeriodS *float64 `json:"period_s,omitempty"`
	Cycles  int      `json:"cycles,omitempty"`
	Share   float64  `json:"share,omitempty"`
	// Confidence is the confidence in the cycle, 0 to 1.
	Confidence float64 `json:"confidence,omitempty"`
	// GPUs is the number of GPUs that were read, GPUActive the mean share of time in which a kernel ran, 0 to 1.
	GPUs      int      `json:"gpus,omitempty"`
	GPUActive *float64 `json:"gpu_active,omitempty"`
	// Finding is the text of the first finding, CostCoreS its cost in core seconds, Next what to do about it or, if
	// nothing, about the run.
	Finding   string   `json:"finding,omitempty"`
	CostCoreS *float64 `json:"cost_core_s,omitempty"`
	Next      string   `json:"action,omitempty"` // the key is that of earlier versions
	// Report is the path, or only the name, of the report's text or directory.
	Report string `json:"report,omitempty"`
}

// Digest returns the run in a few numbers, those of the main pattern if it has one, with its first finding and the next
// step.
func (r Report) Digest() Digest {
	u := r.Resources
	d := Digest{Ended: r.Job.Ended, ElapsedS: r.Job.ElapsedS, BusyCPUs: u.CPU.Busy, AllocatedCPUs: u.CPU.Allocated,
		PeakBytes: u.Memory.PeakBytes, RequestBytes: u.Memory.RequestedBytes}
	if r.Rhythm.Periodic {
		p := r.Rhythm.Patterns[0]
		period := p.Period.value()
		d.PeriodS, d.Cycles, d.Share, d.Confidence = &period, p.Instances, p.Coverage, p.Confidence
	}
	d.GPUs, d.GPUActive = r.gpuActivity()
	d.Next, d.Report = string(r.Next), r.file("txt")
	if head := finding.Head(r.Findings); len(head) > 0 {
		d.Finding, d.CostCoreS = head[0].Text, head[0].CostCoreS
		d.Next = cmp.Or(head[0].Next, d.Next)
	}
	return d
}

// gpuActivity returns how many GPUs were read and the share of the time read in which a kernel ran; nil where
// no driver counts it.
func (r Report) gpuActivity() (n int, share *float64) {
	read, active := 0.0, 0.0
	for _, g := range r.GPUs {
		if g.ActiveS != nil && g.ReadS > 0 {
			read, active = read+g.ReadS, active+*g.ActiveS
		}
	}
	if read > 0 {
		mean := active / read
		share = &mean
	}
	return len(r.GPUs), share
}

// CycleText returns the cycle in words: "413 ms, 23 times, 93.8 % of the run"; "none found" if the run has no cycle.
func (d Digest) CycleText() string {
	if d.PeriodS == nil {
		return "none found"
	}
	return fmt.Sprintf("%s%s, %s times, %s of the run", text.Qualifier(d.Confidence), quantity.Period(*d.PeriodS),
		quantity.Count(d.Cycles), quantity.Share(d.Share))
}

// FindingText returns the first finding with what to do: "Memory ... -> Ask for more memory ..."; the finding alone if
// there is no next step, and "none" without a finding.
func (d Digest) FindingText() string {
	switch {
	case d.Finding == "":
		return "none"
	case d.Next == "":
		return d.Finding
	case d.Next == noChange:
		return d.Finding + " " + d.Next
	}
	return d.Finding + " -> " + d.Next
}

// CostText returns what the first finding cost: "1.9 core hours, 38 % of the run"; "" where that is unknown.
func (d Digest) CostText() string {
	if d.CostCoreS == nil {
		return ""
	}
	cost := quantity.Figures(*d.CostCoreS/3600, 2) + " core hours"
	if *d.CostCoreS < 3600 {
		cost = quantity.Figures(*d.CostCoreS, 2) + " core seconds"
	}
	if c := d.AllocatedCPUs; c != nil && *c > 0 && d.ElapsedS > 0 {
		cost += ", " + quantity.Share(math.Min(1, *d.CostCoreS/(*c*d.ElapsedS))) + " of the run"
	}
	return cost
}

// OutputLine returns the line for the end of the job's output; the text before its first ';' names the run.
func (r Report) OutputLine() string {
	return r.Digest().Line(strings.ToLower(r.Job.label()[:1]) + r.Job.label()[1:])
}

// Line returns the digest in one line, for a job with this label. It has no control characters: its texts come
// from a Report, which has cleaned them.
func (d Digest) Line(label string) string {
	parts := []string{"jobgait: " + label, d.Ended, quantity.Duration(d.ElapsedS)}
	switch {
	case d.BusyCPUs != nil && d.AllocatedCPUs != nil:
		parts = append(parts, fmt.Sprintf("%s of %s CPUs busy", quantity.Hundredths(*d.BusyCPUs),
			quantity.Plain(*d.AllocatedCPUs, 3)))
	case d.BusyCPUs != nil:
		parts = append(parts, quantity.Hundredths(*d.BusyCPUs)+" CPUs busy")
	}
	if d.PeakBytes != nil {
		parts = append(parts, quantity.Amount(*d.PeakBytes, "B")+" of memory")
	}
	if d.PeriodS != nil {
		parts = append(parts, fmt.Sprintf("cycle %s%s", text.Qualifier(d.Confidence), quantity.Period(*d.PeriodS)))
	}
	if d.Finding != "" {
		parts = append(parts, text.Cut(strings.TrimSuffix(d.FindingText(), "."), 200))
	}
	if cost := d.CostText(); cost != "" {
		parts = append(parts, "cost "+cost)
	}
	if d.Report != "" {
		parts = append(parts, "report "+d.Report)
	}
	return strings.Join(parts, "; ")
}

// DigestText writes a digest that was read from the accounting.
func DigestText(w io.Writer, label string, d Digest) error {
	p := &text.Page{}
	p.Line(label + ", from the comment of the accounting:")
	optional := func(v *float64, unit string) string {
		return quantity.Optional(v, func(v float64) string { return quantity.Amount(v, unit) })
	}
	p.Text("  ended    ", d.Ended)
	p.Line("  elapsed  " + quantity.Duration(d.ElapsedS))
	p.Line("  CPUs     " + optional(d.BusyCPUs, "") + " busy of " + optional(d.AllocatedCPUs, ""))
	memory := "  memory   " + optional(d.PeakBytes, "B")
	if d.RequestBytes != nil {
		memory += " of " + optional(d.RequestBytes, "B")
	}
	p.Line(memory)
	p.Line("  cycle    " + d.CycleText())
	if d.GPUs > 0 {
		p.Line(fmt.Sprintf("  GPUs     %d, active %s", d.GPUs, quantity.Optional(d.GPUActive, quantity.Share)))
	}
	p.Text("  finding  ", cmp.Or(d.Finding, "none"))
	p.Text("  cost     ", d.CostText())
	p.Text("  next     ", d.Next)
	p.Text("  report   ", d.Report)
	if err := p.Print(w); err != nil {
		return fmt.Errorf("write the digest of %s: %w", label, err)
	}
	return nil
}

// CommentMark begins a digest in a comment of the accounting; maxComment is the largest length of a comment in
// characters.
const (
	CommentMark = "JG1:"
	maxComment  = 1000
)

// smallLetters returns the base32 encoding for comments in small letters: sacctmgr of Slurm 22.05 does not keep
// capital letters.
func smallLetters() *base32.Encoding {
	return base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)
}

// Comment encodes the digest for a comment of the accounting: the mark and base64 of gzip of JSON, at most 1,000
// characters. small is the same digest with the mark in small letters and base32. Texts are cut, and a long path is
// left out, until small fits. It returns an error if the numbers alone are too long.
func (d Digest) Comment() (comment, small string, err error) {
	for _, length := range []int{400, 200, 100, 40, 0} {
		d.Finding, d.Next, d.Ended = text.Cut(d.Finding, length), text.Cut(d.Next, length), text.Cut(d.Ended, length)
		if len(d.Report) > max(length, 100) { // a path that is cut leads nowhere
			d.Report = ""
		}
		body, err := json.Marshal(d)
		if err != nil {
			return "", "", fmt.Errorf("internal error, please report it: encode the digest of a job: %w", err)
		}
		var packed bytes.Buffer
		w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		if err == nil {
			_, err = w.Write(body)
			err = errors.Join(err, w.Close())
		}
		if err != nil {
			return "", "", fmt.Errorf("internal error, please report it: compress the digest of a job: %w", err)
		}
		small = strings.ToLower(CommentMark) + smallLetters().EncodeToString(packed.Bytes())
		if len(small) <= maxComment {
			return CommentMark + base64.StdEncoding.EncodeToString(packed.Bytes()), small, nil
		}
	}
	return "", "", errors.New("encode the digest of a job: its numbers alone exceed the length of a comment: the job " +
		"gets none")
}

// maxDigest is the largest JSON of a comment in bytes: another program may have written the comment.
const maxDigest = 64 << 10

// ParseComment decodes a comment that Comment wrote, in either form, and cleans its texts. It returns an error for any
// other comment.
func ParseComment(comment string) (Digest, error) {
	var d Digest
	fail := func(err error) (Digest, error) { return Digest{}, fmt.Errorf("decode a comment of jobgait: %w", err) }
	packed, is := strings.CutPrefix(comment, CommentMark)
	decode := base64.StdEncoding.DecodeString
	if !is {
		packed, is = strings.CutPrefix(comment, strings.ToLower(CommentMark))
		decode = smallLetters().DecodeString
	}
	if !is || len(comment) > maxComment {
		return fail(fmt.Errorf("want a comment that begins with %s and has at most %d characters", CommentMark, maxComment))
	}
	raw, err := decode(packed)
	if err != nil {
		return fail(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		return fail(err)
	}
	body, err := io.ReadAll(io.LimitReader(r, maxDigest))
	if err == nil {
		err = json.Unmarshal(body, &d)
	}
	if err != nil {
		return fail(err)
	}
	d.Ended, d.Finding = text.Clean(d.Ended), text.Clean(d.Finding)
	d.Next, d.Report = text.Clean(d.Next), text.Clean(d.Report)
	return d, nil
}
