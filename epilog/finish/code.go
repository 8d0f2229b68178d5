package finish

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"jobgait/agent/job"
	"jobgait/agent/names"
	"jobgait/agent/profile"
	"jobgait/analysis/anatomy"
	"jobgait/analysis/note"
	"jobgait/analysis/quantity"
)

// codeSamples returns the samples of code addresses in the profile at path, which is loaded as l. Functions get the
// names that known has. It returns nil for a profile without addresses, as the agent writes if address sampling is off.
func codeSamples(path string, l profile.LoadedProfile, known names.KnownFunctions) *anatomy.Samples {
	p := l.Places
	if len(p.Files) == 0 && p.Kernel == 0 {
		return nil
	}
	c, index := anatomy.Code{Builds: map[string]string{}}, map[anatomy.Function]int{}
	add := func(page, at uint64, f anatomy.Function, hits uint64) {
		i, ok := index[f]
		if !ok {
			i = len(c.Functions)
			index[f], c.Functions = i, append(c.Functions, f)
		}
		c.HotAddresses = append(c.HotAddresses,
			anatomy.HotAddress{Page: page, Place: uint8(at), Function: i, Count: int64(hits)})
	}
	if p.Kernel > 0 {
		add(profile.KernelPage, 0, anatomy.Function{Library: anatomy.KernelCode}, p.Kernel)
	}
	if p.Anonymous > 0 {
		add(profile.AnonymousPage, 0, anatomy.Function{Library: anatomy.NoFile}, p.Anonymous)
	}
	maxHits := map[string]uint64{}
	for _, f := range p.Files {
		total, library, of := uint64(0), f.Name, known.OfFile(f.Key)
		if library == "" {
			library = anatomy.NoFile
		}
		for _, x := range f.Places {
			function := anatomy.Function{Library: library}
			if is, ok := of.FunctionAt(x.Index * profile.PlaceBytes); ok {
				function.Name = is.Name
				if is.Name == "" {
					function.Start = is.Start
				}
			}
			add(profile.PageKey(f.Key, x.Index*profile.PlaceBytes), x.Index, function, x.Hits)
			total += x.Hits
		}
		if f.Build != "" && total > maxHits[library] {
			maxHits[library], c.Builds[library] = total, f.Build
		}
	}
	return &anatomy.Samples{Code: c, Blocks: l.Code(path)}
}

// Shares of the samples in code from which a note says that the functions are unnamed: in files, and in code
// generated at run time.
const (
	minUnnamedShare   = 0.01
	minGeneratedShare = 0.1
)

// codeNotes returns notes that say which share of the samples has no function name and why: a file was replaced or
// unreadable, code was generated at run time, or there was too much code to count. Small shares get no note. The caller
// calls it only if names were requested.
func codeNotes(p profile.Places, known names.KnownFunctions) (out []note.Note) {
	total, lost, made := float64(p.Kernel+p.Anonymous+p.Lost), float64(p.Lost), float64(p.Anonymous)
	missing := map[names.Reason][]string{}
	hits := map[names.Reason]float64{}
	for _, f := range p.Files {
		why := known.OfFile(f.Key).Why
		for _, x := range f.Places {
			total += float64(x.Hits)
			hits[why] += float64(x.Hits)
		}
		if why != "" && !slices.Contains(missing[why], f.Name) {
			missing[why] = append(missing[why], f.Name)
		}
	}
	addNote := func(code note.Code, part, threshold float64, format string, args ...any) {
		if total > 0 && part/total >= threshold {
			out = append(out, note.New(code, format, append([]any{quantity.Share(part / total)}, args...)...))
		}
	}
	addNote(note.FileReplaced, hits[names.OtherBuild], minUnnamedShare,
		"%s of the samples have no name of a function: %s was replaced after it was started",
		firstNames(missing[names.OtherBuild]))
	unread := append(append(missing[names.NoFile], missing[names.NoELF]...), missing[names.TooMuch]...)
	addNote(note.NamesPartial, hits[names.NoFile]+hits[names.NoELF]+hits[names.TooMuch], minUnnamedShare,
		"%s of the samples have no name of a function: %s could not be read", firstNames(unread))
	addNote(note.CodeMade, made, minGeneratedShare,
		"%s of the samples are in code that is in no file: it was made at run time, as by Java, Julia and Numba, and has "+
			"no names")
	addNote(note.PlacesLost, lost, minUnnamedShare,
		"%s of the samples in code were not separated by function: there was more code than can be counted")
	if known.Lost {
		out = append(out, note.New(note.NamesLost,
			"reading the functions of a program took too long, perhaps a file system hangs: code that ran later has no names"))
	}
	return out
}

// firstNames returns up to three names of the sorted list, joined by commas, and "and others" if there are
// more. It sorts list in place.
func firstNames(list []string) string {
	slices.Sort(list)
	text := strings.Join(list[:min(3, len(list))], ", ")
	if len(list) > 3 {
		text += " and others"
	}
	return text
}

// readFunctionNames reads the function names that the agent found, from the run directory. asked reports
// whether there is such a file that could be read; it is false if there is no such file, because names were
// not requested, and if it cannot be read.
func readFunctionNames(dir job.RunDir) (known names.KnownFunctions, asked bool, err error) {
	err = dir.ReadJSON(names.KnownFile, &known)
	if errors.Is(err, fs.ErrNotExist) {
		return names.KnownFunctions{}, false, nil
	}
	return known.Sorted(), err == nil, err
}
