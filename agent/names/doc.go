// Package names finds the function that a place in an ELF file belongs to. Places (file offsets, 16 bytes each)
// come in; for each the function around it goes out: where it starts and ends, its readable name, and the table
// that it is from. Without a symbol there is no name, only the bounds that .eh_frame_hdr still has after
// stripping: a name of the nearest export would be wrong.
//
// It reads .symtab, .dynsym and .gnu_debugdata of the file, and the symbols of the distribution's debug file of
// the same build id in /usr/lib/debug, which root owns. It never uses a network. Tables are streamed once for
// all places, so that the memory depends only on the number of places: 3 to 6 MB for libraries of 100 MB. It
// reads only 64-bit little-endian files.
//
// Files are the user's, and hostile: File.Name takes at most MaxSteps steps, unpacks at most maxUnpacked bytes
// and stops when its context ends; what it has found by then is returned. Names are clean text of at most
// MaxName bytes.
//
// Root parses no file of a user. A child does (Ask starts it, Serve is its main function): it is undumpable
// before it has the user's rights, so that the user can stop it but never read its memory or control it. It can
// start no process and write no file, is limited to 2 s of CPU time, 512 MB of address space beside what Go
// reserves, and 5 s, and is killed when the agent ends, even if the account has stopped it. A file is opened
// with the user's rights, so a program that the user may execute but not read has no names. It must be a
// regular file of the build id and, where it is known, the inode that were mapped: another file is not read.
// Answers may come from any process of the account, and are checked as such.
package names
