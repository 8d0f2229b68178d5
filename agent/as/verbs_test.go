package as

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
)

// tableChildren are the verbs of the table that this test program serves.
func tableChildren() Handlers {
	return Handlers{
		Deliver: AnswerOne(func(_ context.Context, q string) string { return fmt.Sprint(q, " ", os.Geteuid()) }),
		Collect: func(_ context.Context, r Request) error {
			var n int
			if _, err := ReadRequest(r.In, &n); err != nil {
				return err
			}
			for i := range n {
				if err := json.NewEncoder(r.Out).Encode(i); err != nil {
					return err
				}
			}
			return nil
		},
		CompareHistory: func(_ context.Context, r Request) error {
			var q string
			rest, err := ReadRequest(r.In, &q)
			if err != nil {
				return err
			}
			body, err := io.ReadAll(rest)
			return errors.Join(err, json.NewEncoder(r.Out).Encode(q+string(body)))
		},
		Worker: func(_ context.Context, r Request) error {
			return fmt.Errorf("%s as %d", strings.Join(r.Args, " "), os.Geteuid())
		},
	}
}

func child(t *testing.T, a Account) Child { return Child{Program: self(t), Account: a} }

// The table names each verb once, and every verb that takes an account's rights is bounded.
func TestTableOfChildren(t *testing.T) {
	seen := map[string]bool{}
	for _, v := range Verbs() {
		if seen[v.Name] || v.Name == "" || v.Account == "" {
			t.Errorf("%+v", v)
		}
		seen[v.Name] = true
		if v.Rights == FullAccount && v.Limits.FileBytes == 0 && v.Limits.CPUSeconds == 0 {
			t.Errorf("%s has no limits", v.Name)
		}
		if v.Rights == StarterRights && (v.MaxAnswer != 0 || v.Limits != Limits{}) {
			t.Errorf("%s keeps its starter's rights: no bound is kept", v.Name)
		}
	}
}

// A child of the table has the account's rights before it reads its question.
func TestAskAsAnotherAccount(t *testing.T) {
	got, err := Ask[string](t.Context(), child(t, unprivilegedAccount(t)), Deliver, "hello")
	if err != nil || got != "hello 65534" {
		t.Errorf("%q, %v", got, err)
	}
}

// A child may answer more than once, and no more bytes than the table or the call allows.
func TestManyAnswers(t *testing.T) {
	count := func(n, limit, stopAt int) (got int, err error) {
		err = AskAll(t.Context(), child(t, Self()), Collect, n, nil, limit, func(int) error {
			if got++; got == stopAt {
				return io.ErrUnexpectedEOF
			}
			return nil
		})
		return got, err
	}
	if got, err := count(1000, 0, 0); got != 1000 || err != nil {
		t.Errorf("%d, %v", got, err)
	}
	if _, err := count(1000, 2000, 0); !errors.Is(err, errOutputTooLarge) {
		t.Errorf("answers of 3,890 bytes where 2,000 are allowed: %v", err)
	}
	got, err := count(1<<20, 0, 3)
	if got != 3 || !errors.Is(err, io.ErrUnexpectedEOF) || strings.Contains(err.Error(), "malformed") {
		t.Errorf("%d answers, then the receiver failed with io.ErrUnexpectedEOF: %v", got, err)
	}
	if _, err := Ask[int](t.Context(), child(t, Self()), Collect, 2); err == nil {
		t.Error("two answers were taken for one")
	}
}

// What follows the question reaches the child byte by byte.
func TestBodyAfterTheQuestion(t *testing.T) {
	got := ""
	err := AskAll(t.Context(), child(t, Self()), CompareHistory, "question ", strings.NewReader("\n{}\n"), 0,
		func(s string) error {
			got = s
			return nil
		})
	if err != nil || got != "question \n{}\n" {
		t.Errorf("%q, %v", got, err)
	}
}

// A verb that keeps its starter's rights gets its arguments; one that the table lacks is refused.
func TestVerbsOfTheProgramItself(t *testing.T) {
	served, err := tableChildren().Serve(t.Context(), []string{Worker, "dir"}, nil, nil)
	if !served || err == nil || err.Error() != fmt.Sprintf("dir as %d", os.Geteuid()) {
		t.Errorf("%v, %v", served, err)
	}
	if served, _ := tableChildren().Serve(t.Context(), []string{"--sweep"}, nil, nil); served {
		t.Error("a verb without a handler was served")
	}
	none := Handlers{"other": func(context.Context, Request) error { return nil }}
	if served, err := none.Serve(t.Context(), []string{"other"}, nil, nil); !served || err == nil {
		t.Errorf("a handler outside the table: %v, %v", served, err)
	}
	if _, err := Ask[int](t.Context(), child(t, Self()), Worker, 1); err == nil {
		t.Error("a worker answers no questions")
	}
}

func FuzzReadQuestion(f *testing.F) {
	f.Add([]byte("{\"dir\":\"/x\"}\nrest"))
	f.Add([]byte("7"))
	f.Add([]byte("{"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var q any
		rest, err := ReadRequest(strings.NewReader(string(b)), &q)
		if err != nil {
			return
		}
		body, err := io.ReadAll(rest)
		if err != nil || len(body) > len(b) || !strings.HasSuffix(string(b), string(body)) {
			t.Errorf("%q after the question of %q, %v", body, b, err)
		}
	})
}
