// Package names says which function a place in an ELF file belongs to. Places (file offsets of 16 bytes) come
// in; for each the function around it goes out: where it starts and ends, its name as a reader knows it, and
// which table said so. Without a symbol there is no name, only the bounds that .eh_frame_hdr still has after
// stripping: a name of the nearest export would be wrong.
//
// Looked at are .symtab, .dynsym and .gnu_debugdata of the file, and the symbols of the distribution's debug
// file of the same build id, which lies in /usr/lib/debug and belongs to root. The package never uses a
// network. Tables are streamed for all questions at once, so that the memory depends on the questions only: 3
// to 6 MB for libraries of 100 MB. 64-bit little-endian files only.
//
// Files are the user's, and hostile: File.Name takes at most MaxSteps steps, unpacks at most maxUnpacked bytes
// and stops when its context ends; what it has found by then is returned. Names are clean text of at most
// MaxName bytes.
//
// Root parses no file of a user. A child does (Ask starts it, Serve is it): it is undumpable before it has the
// user's rights, so that he can stop it but never look into it or make it run anything else; it can start no
// process, write no file, and has 2 s of CPU time, 512 MB of address space beside what Go reserves, and 5 s,
// and is killed when the agent ends, also if the account has stopped it. A file is opened with the user's
// rights, so that of a program that he may execute but not read he sees no name. It must be a regular file of
// the build id and, where it is known, the inode that were mapped: another file is not read. Answers may come
// from any process of the account, and are checked as such.
package names
