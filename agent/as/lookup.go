package as

import (
	"context"
	"fmt"
	"os/user"
	"strconv"
)

// Lookup returns the account with this name from the name service. It returns an error when ctx ends, because
// name services may hang.
func Lookup(ctx context.Context, name string) (Account, error) {
	type answer struct {
		account Account
		err     error
	}
	got := make(chan answer, 1)
	go func() {
		a, err := lookup(name)
		got <- answer{a, err}
	}()
	select {
	case a := <-got:
		return a.account, a.err
	case <-ctx.Done():
		return Account{}, fmt.Errorf("look up account %q: the name service gave no answer (%w): check it with getent passwd",
			name, ctx.Err())
	}
}

// lookup returns the account with this name and its groups; it may hang.
func lookup(name string) (Account, error) {
	u, err := user.Lookup(name)
	if err != nil {
		return Account{}, fmt.Errorf("look up account %q: %w: create it, or name another account", name, err)
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return Account{}, fmt.Errorf("look up account %q: the name service returned the uid %q, want a number: correct "+
			"the entry of the account", name, u.Uid)
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return Account{}, fmt.Errorf("look up account %q: the name service returned the gid %q, want a number: correct "+
			"the entry of the account", name, u.Gid)
	}
	return Account{UID: uint32(uid), GID: uint32(gid), Groups: groups(u, uint32(gid))}, nil
}

// ForJob returns the account of a job. uid and gid are Slurm's and are not looked up; the supplementary groups
// come from the name service, or are only the gid if it fails or does not answer before ctx ends.
func ForJob(ctx context.Context, uid, gid uint32) Account {
	a := Account{UID: uid, GID: gid, Groups: []uint32{gid}}
	got := make(chan []uint32, 1)
	go func() {
		u, err := user.LookupId(strconv.FormatUint(uint64(uid), 10))
		if err != nil {
			got <- []uint32{gid}
			return
		}
		got <- groups(u, gid)
	}()
	select {
	case a.Groups = <-got:
	case <-ctx.Done():
	}
	return a
}

// groups returns the ids of u's groups, gid first; gid alone if the name service fails.
func groups(u *user.User, gid uint32) []uint32 {
	ids := []uint32{gid}
	names, err := u.GroupIds()
	if err != nil {
		return ids
	}
	for _, s := range names {
		if id, err := strconv.ParseUint(s, 10, 32); err == nil && uint32(id) != gid {
			ids = append(ids, uint32(id))
		}
	}
	return ids
}
