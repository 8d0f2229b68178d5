package history

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// SiteRows is the most rows of a kind in Site.
const SiteRows = 10

// Site summarizes the recent activity of a site: results of the week_ and month_ queries of the catalogue, the
// worst first. nil means unknown.
type Site struct {
	Slower       FirstRows[SlowerHistory]
	Nodes        FirstRows[SickNode]
	Applications FirstRows[ApplicationUse]
	Accounts     FirstRows[Account]
	Waste        []Waste
	Coverage     []Coverage
}

// FirstRows holds the first rows and the number of all rows.
type FirstRows[T any] struct {
	Rows []T
	Of   int
}

// More returns the number of rows that are left out.
func (t FirstRows[T]) More() int { return t.Of - len(t.Rows) }

// SlowerHistory is a row of month_slower: a change that makes runs slower, with the node hours lost since.
type SlowerHistory struct {
	User, App, Shape string
	EffectPct        float64
	Start, JobID     string // of the first run of the new level
	Jobs             int
	LostNodeHours    *float64
}

// SickNode is a row of week_sick_nodes.
type SickNode struct {
	Cluster, Node       string
	Jobs, Missing, Died int
	JobIDs              []string
}

// ApplicationUse is a row of month_applications.
type ApplicationUse struct {
	User, App                                        string
	NodeHours                                        *float64
	Jobs                                             int
	CyclePct, PeriodS, WaitingPct, MemoryPct, GPUPct *float64
}

// Account is a row of month_accounts; its name is "" for jobs without one.
type Account struct {
	Name                     string
	Jobs                     int
	NodeHours, IdleNodeHours float64
}

// Waste is a row of week_waste: a finding, and what it cost.
type Waste struct {
	Code                     string
	Jobs                     int
	NodeHours, LostNodeHours *float64
}

// Coverage is a row of week_coverage: the number of jobs without a report or a period for the same reason; ""
// means that it exists.
type Coverage struct {
	Jobs               int
	NoReport, NoPeriod string
}

// Site runs the queries of the catalogue for time now, in UTC epoch seconds.
func (db *DB) Site(ctx context.Context, now float64) (Site, error) {
	var s Site
	err := db.retryWhileLocked(ctx, func() error {
		s = Site{}
		for _, part := range []struct {
			query string
			row   func(*sql.Rows) error
		}{
			{"month_slower", s.slower}, {"week_sick_nodes", s.sickNode}, {"month_applications", s.used},
			{"month_accounts", s.account}, {"week_waste", s.waste}, {"week_coverage", s.coverage},
		} {
			text, err := catalogueSQL(part.query, now)
			if err != nil {
				return err
			}
			if err := db.eachRow(ctx, text, part.row); err != nil {
				return fmt.Errorf("run the catalogue query %s: %w", part.query, err)
			}
		}
		return nil
	})
	return s, explain(db.path, "sum up the jobs of the site", err)
}

// slower adds a row of month_slower to s.Slower.
func (s *Site) slower(rows *sql.Rows) error {
	var r SlowerHistory
	err := rows.Scan(&r.User, &r.App, &r.Shape, &r.EffectPct, &r.Start, &r.JobID, &r.Jobs, &r.LostNodeHours, &s.Slower.Of)
	s.Slower.Rows = append(s.Slower.Rows, r)
	return err
}

// sickNode adds a row of week_sick_nodes to s.Nodes.
func (s *Site) sickNode(rows *sql.Rows) error {
	var r SickNode
	var ids string
	err := rows.Scan(&r.Cluster, &r.Node, &r.Jobs, &r.Missing, &r.Died, &ids, &s.Nodes.Of)
	r.JobIDs = strings.Fields(ids)
	s.Nodes.Rows = append(s.Nodes.Rows, r)
	return err
}

// used adds a row of month_applications to s.Applications.
func (s *Site) used(rows *sql.Rows) error {
	var r ApplicationUse
	err := rows.Scan(&r.User, &r.App, &r.NodeHours, &r.Jobs, &r.CyclePct, &r.PeriodS, &r.WaitingPct, &r.MemoryPct,
		&r.GPUPct, &s.Applications.Of)
	s.Applications.Rows = append(s.Applications.Rows, r)
	return err
}

// account adds a row of month_accounts to s.Accounts.
func (s *Site) account(rows *sql.Rows) error {
	var r Account
	var name sql.NullString
	err := rows.Scan(&name, &r.Jobs, &r.NodeHours, &r.IdleNodeHours, &s.Accounts.Of)
	r.Name = name.String
	s.Accounts.Rows = append(s.Accounts.Rows, r)
	return err
}

// waste adds a row of week_waste to s.Waste.
func (s *Site) waste(rows *sql.Rows) error {
	var r Waste
	err := rows.Scan(&r.Code, &r.Jobs, &r.NodeHours, &r.LostNodeHours)
	s.Waste = append(s.Waste, r)
	return err
}

// coverage adds a row of week_coverage to s.Coverage.
func (s *Site) coverage(rows *sql.Rows) error {
	var r Coverage
	var noReport, noPeriod sql.NullString
	err := rows.Scan(&r.Jobs, &noReport, &noPeriod)
	r.NoReport, r.NoPeriod = noReport.String, noPeriod.String
	s.Coverage = append(s.Coverage, r)
	return err
}
