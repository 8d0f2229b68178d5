// Package slownode finds slow nodes from the runs of one history that used them, and removes their effect from
// the runs.
//
// In come logarithms of runs in time order and the nodes of each (New), and as runs
// arrive the changes that are committed by then (Learn). Out come the runs without
// what is believed of nodes so far (X), and once all have arrived the nodes that are
// called slow, with effect and chance (Judge), what they explain (Notes), and which
// nodes go with two levels (OfLevels).
//
// A run takes as long as its slowest node. Of every node it is believed how likely it
// is to be slow and by how much, from the runs with it against those of the same level
// without it, beyond what other suspects explain; a run that is off its level for no
// reason counts as an outlier (scatter.Loss). A node is called slow if that is likely
// and if random orders of the runs, and node lists moved on, seldom show such a node.
//
// Nothing depends on runs to come: changes of a history cut short are those of the whole. It makes no statement
// about a node that was entered or left fewer than four times, which cannot be distinguished from a change, and
// names six nodes at most.
//
// Of nodes called slow .991 are, and .895 of the slow ones are called so; changes
// beside slow nodes are found with F1@1 .876, with the true effects known .900.
package slownode
