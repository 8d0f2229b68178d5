package anatomy

import "strings"

// Class is the purpose of code, such as mathematics or communication, derived from the name of its library's
// file.
type Class string

// The classes; Classes has all of them in the order in which they are printed.
const (
	Own           Class = "own"
	Math          Class = "math"
	Communication Class = "communication"
	IO            Class = "io"
	OpenMP        Class = "openmp"
	Language      Class = "language" // what runs Python, R, Java, Julia
	CRuntime      Class = "c_runtime"
	GPUDriver     Class = "gpu_driver"
	Kernel        Class = "kernel"
	Unnamed       Class = "unnamed"    // in no file: made at run time
	NotResolved   Class = "unresolved" // sampled, but it is not known in which code
)

// Classes returns all classes in the order in which they are printed.
func Classes() []Class {
	return []Class{Own, Math, Communication, IO, OpenMP, Language, CRuntime, GPUDriver, Kernel, Unnamed, NotResolved}
}

// KernelCode, NoFile and Unresolved stand in the place of a library: code of the
// kernel, code that is in no file, and samples of which the code is not known.
const (
	KernelCode = "[kernel]"
	NoFile     = "[unnamed]"
	Unresolved = "[unresolved]"
)

type family struct {
	class Class
	names []string
}

// families returns, for each class, prefixes of the names of its libraries' files. The first matching prefix
// decides, so that libmpifort is communication and libm.so is not libmpi.
func families() []family {
	return []family{
		{Communication, []string{"libmpi", "libopen-pal", "libopen-rte", "libpmi", "libprrte", "libuc", "libfabric", "libpsm",
			"libibverbs", "librdmacm", "libmlx", "libefa", "libcxi",
			"libnccl", "librccl", "libevent", "libhwloc", "libsharp", "libhcoll", "libportals", "libgasnet", "mca_", "libompi",
			"libxpmem", "libmpl"}},
		{GPUDriver, []string{"libcuda.", "libcudart", "libnvidia", "libhsa-", "libamdhip", "libze_", "libOpenCL", "libcupti",
			"libnvrtc"}},
		{Math, []string{"libopenblas", "libblas", "libcblas", "liblapack", "libmkl", "libblis", "libflame", "libatlas",
			"libfftw", "libm.so", "libm-", "libmvec", "libgsl", "libscalapack", "libsvml", "libimf",
			"libarmpl", "libamath", "libsci", "libcublas", "libcufft", "libcusolver", "libcusparse", "libamdlibm", "libsuperlu",
			"libarpack", "_multiarray_umath", "_umath_linalg", "_flapack", "_fblas"}},
		{IO, []string{"libhdf5", "libnetcdf", "libpnetcdf", "libadios", "libz.", "libzstd", "liblz4", "libbz2", "liblzma",
			"libsz.", "libblosc", "libsilo", "libsion", "libaio", "liburing"}},
		{OpenMP, []string{"libgomp", "libomp.", "libomp5", "libomp-", "libiomp", "libnvomp", "libcraymp"}},
		{Language, []string{"libpython", "python", "pypy", "libR.", "libRblas", "libjvm", "java", "libjulia", "julia",
			"libperl", "perl", "libruby", "liblua", "octave", "liboctinterp", "node"}},
		{CRuntime, []string{"libc.so", "libc-2", "ld-linux", "ld-2", "ld64", "ld-musl", "libstdc++", "libc++", "libgcc_s",
			"libgfortran", "libquadmath", "libpthread", "libdl.", "librt.", "libintlc", "libifcore",
			"libirc", "libflang", "libFortranRuntime", "libtbb", "libnuma", "libatomic", "libjemalloc", "libtcmalloc",
			"libmimalloc", "linux-vdso", "[vdso]"}},
	}
}

// ClassOf returns the class of a library by the base name of its file. A file in no list is the user's own
// code.
func ClassOf(library string) Class {
	switch library {
	case KernelCode:
		return Kernel
	case NoFile, "":
		return Unnamed
	case Unresolved:
		return NotResolved
	}
	for _, f := range families() {
		if hasAnyPrefix(library, f.names) {
			return f.class
		}
	}
	return Own
}

// hasAnyPrefix reports whether a library's name begins with one of the names.
func hasAnyPrefix(library string, names []string) bool {
	for _, n := range names {
		if strings.HasPrefix(library, n) {
			return true
		}
	}
	return false
}

// IsProgramCode reports whether code of a library does the work of a program. Communication, OpenMP, the C runtime and
// the kernel serve it: a thread that only waits has samples in them.
func IsProgramCode(library string) bool {
	switch ClassOf(library) {
	case Communication, OpenMP, CRuntime, Kernel, NotResolved:
		return false
	}
	return true
}

// WaitsBusily reports whether most CPU time in a library is busy waiting for other processes or threads:
// libraries that poll the network in a loop, and the runtime of OpenMP at its barriers. The time of a
// communication library includes its copying.
func WaitsBusily(library string) bool {
	return ClassOf(library) == OpenMP ||
		hasAnyPrefix(library, []string{"libopen-pal", "mca_btl", "mca_pml", "mca_mtl", "libuct", "libucp", "libucs", "libpsm",
			"libfabric", "libmpi", "libmlx", "libhcoll"})
}
