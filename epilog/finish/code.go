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

// codeIn is what a profile has of code, with what is known of its functions; nil for
// one without places: the agent counts them where somebody wants to read of them.
func codeIn(path string, l profile.Loaded, known names.Known) *anatomy.Samples {
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
		c.Places = append(c.Places, anatomy.HotPlace{Page: page, Place: uint8(at), Function: i, Count: int64(hits)})
	}
	if p.Kernel > 0 {
		add(profile.KernelPage, 0, anatomy.Function{Library: anatomy.KernelCode}, p.Kernel)
	}
	if p.Anonymous > 0 {
		add(profile.AnonymousPage, 0, anatomy.Function{Library: anatomy.NoFile}, p.Anonymous)
	}
	most := map[string]uint64{}
	for _, f := range p.Files {
		total, library, of := uint64(0), f.Name, known.Of(f.Key)
		if library == "" {
			library = anatomy.NoFile
		}
		for _, x := range f.Places {
			function := anatomy.Function{Library: library}
			if is, ok := of.At(x.At * profile.PlaceBytes); ok {
				function.Name = is.Name
				if is.Name == "" {
					function.Start = is.Start
				}
			}
			add(profile.PageKey(f.Key, x.At*profile.PlaceBytes), x.At, function, x.Count)
			total += x.Count
		}
		if f.Build != "" && total > most[library] {
			most[library], c.Builds[library] = total, f.Build
		}
	}
	return &anatomy.Samples{Code: c, Blocks: l.Code(path)}
}

// Of how much code it is worth saying that it has no name.
const (
	worthNaming = 0.01
	worthMade   = 0.1
)

// codeNotes explain why code has no names, if names were requested.
func codeNotes(p profile.Places, known names.Known) (out []note.Note) {
	total, lost, made := float64(p.Kernel+p.Anonymous+p.Lost), float64(p.Lost), float64(p.Anonymous)
	missing := map[names.Reason][]string{}
	hits := map[names.Reason]float64{}
	for _, f := range p.Files {
		why := known.Of(f.Key).Why
		for _, x := range f.Places {
			total += float64(x.Count)
			hits[why] += float64(x.Count)
		}
		if why != "" && !slices.Contains(missing[why], f.Name) {
			missing[why] = append(missing[why], f.Name)
		}
	}
	told := func(code note.Code, part, least float64, format string, args ...any) {
		if total > 0 && part/total >= least {
			out = append(out, note.New(code, format, append([]any{quantity.Share(part / total)}, args...)...))
		}
	}
	told(note.FileReplaced, hits[names.OtherBuild], worthNaming,
		"%s of the samples have no name of a function: %s was replaced after it was started", some(missing[names.OtherBuild]))
	unread := append(append(missing[names.NoFile], missing[names.NoELF]...), missing[names.TooMuch]...)
	told(note.NamesPartial, hits[names.NoFile]+hits[names.NoELF]+hits[names.TooMuch], worthNaming,
		"%s of the samples have no name of a function: %s could not be read", some(unread))
	told(note.CodeMade, made, worthMade,
		"%s of the samples are in code that is in no file: it was made at run time, as by Java, Julia and Numba, and has "+
			"no names")
	told(note.PlacesLost, lost, worthNaming,
		"%s of the samples in code were not told apart by function: there was more code than is counted")
	if known.Lost {
		out = append(out, note.New(note.NamesLost,
			"reading the functions of a program took too long, perhaps a file system hangs: code that ran later has no names"))
	}
	return out
}

// some lists the first names of files.
func some(list []string) string {
	slices.Sort(list)
	text := strings.Join(list[:min(3, len(list))], ", ")
	if len(list) > 3 {
		text += " and others"
	}
	return text
}

// knownIn returns the agent's name lookups; without a file there were none.
func knownIn(dir job.RunDir) (known names.Known, asked bool, err error) {
	err = dir.ReadJSON(names.KnownFile, &known)
	if errors.Is(err, fs.ErrNotExist) {
		return names.Known{}, false, nil
	}
	return known.Sorted(), err == nil, err
}
