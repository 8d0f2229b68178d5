// Package packages tests what packaging/packages.sh makes: that it is the same each
// time, what is in it, and how it lives on a node: installed, upgraded during a job,
// refused, removed, purged. It has no code outside tests. scripts.sh beside it is what
// all packages do on a node, jobgait.toml the settings that they bring.
//
// The packages of the tests contain small programs instead of jobgait's, so that they are built in seconds. The
// node is this machine's own root below an overlay, in a process namespace of its own; both are gone when a
// test ends. Before a release, run `make packages` twice, in two directories and with two caches, and compare.
package packages
