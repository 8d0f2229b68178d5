// Package names says which function a place in an ELF file belongs to. Places (file
// offsets of 16 bytes) come in; for each goes out the function around it: where it
// starts and ends, its name as a reader knows it, and which table said so. Without a
// symbol there is no name, only the bounds that .eh_frame_hdr still has after
// stripping: a name of the nearest export would be wrong.
//
// Looked at are .symtab, .dynsym and .gnu_debugdata of the file, and the symbols of
// the distribution's debug file of the same build id, which lies in /usr/lib/debug
// and is root's. Nothing is ever asked of a network. Tables are streamed with the
// questions in hand, so that memory is that of the questions: 3 to 6 MB for libraries
// of 100 MB. 64-bit little-endian files only.
//
// Files are the user's, and hostile: File.Name takes at most MaxSteps steps, unpacks
// at most maxUnpacked bytes and stops when its context ends; what it has found by
// then is told. Names are clean text of at most MaxName bytes.
package names
