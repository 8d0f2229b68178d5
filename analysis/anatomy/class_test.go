package anatomy

import (
	"slices"
	"testing"
)

func TestClassOf(t *testing.T) {
	for library, want := range map[string]Class{
		"lmp": Own, "liblammps.so.0": Own, "a.out": Own, "libmine.so": Own, "_core.cpython-311-x86_64-linux-gnu.so": Own,
		"libm.so.6": Math, "libopenblasp-r0.3.21.so": Math, "libfftw3.so.3": Math, "libmkl_avx512.so.2": Math,
		"_multiarray_umath.cpython-311-x86_64-linux-gnu.so": Math,
		"libmpi.so.40": Communication, "libmpi_mpifh.so.40": Communication, "libmpifort.so.12": Communication,
		"libopen-pal.so.40": Communication, "mca_btl_vader.so": Communication,
		"libucp.so.0": Communication, "libuct.so.0": Communication, "libfabric.so.1": Communication,
		"libpsm2.so.2": Communication, "libnccl.so.2": Communication,
		"libhdf5_serial.so.103": IO, "libz.so.1": IO, "libgomp.so.1": OpenMP, "libiomp5.so": OpenMP, "libomp.so.5": OpenMP,
		"python3.11": Language, "libpython3.12.so.1.0": Language, "libjvm.so": Language, "libR.so": Language,
		"libc.so.6": CRuntime, "libc-2.28.so": CRuntime, "ld-linux-x86-64.so.2": CRuntime, "libgfortran.so.5": CRuntime,
		"[vdso]":            CRuntime,
		"libcuda.so.535.54": GPUDriver, KernelCode: Kernel, NoFile: Unnamed, "": Unnamed,
	} {
		got := ClassOf(library)
		if got != want || !slices.Contains(Classes(), got) {
			t.Errorf("%s is %s, not %s", library, got, want)
		}
	}
	for library, want := range map[string]bool{"libopen-pal.so.40": true, "mca_btl_vader.so": true, "libgomp.so.1": true,
		"libuct.so.0": true, "libm.so.6": false, "lmp": false} {
		if WaitsBusily(library) != want {
			t.Errorf("%s waits: %v", library, !want)
		}
	}
}

func TestNormal(t *testing.T) {
	for _, c := range [][3]string{
		{"libopenblasp-r0.3.21.so", "dgemm_kernel_HASWELL", "dgemm_kernel"},
		{"libopenblasp-r0.3.21.so", "dgemm_kernel_SKYLAKEX", "dgemm_kernel"},
		{"libc.so.6", "__memset_avx512_unaligned_erms", "__memset"},
		{"libc.so.6", "__memset_evex_unaligned_erms", "__memset"},
		{"libm.so.6", "__ieee754_exp_fma", "__ieee754_exp"}, {"libm.so.6", "__exp_fma", "__exp"},
		{"libc.so.6", "__fma", "__fma"},
		{"app", "step_avx2", "step_avx2"}, {"app", "soundSpeed.isra.0", "soundSpeed"}, {"app", "main.cold", "main"},
		{"app", "f.constprop.0.isra.0", "f"},
		{"libm.so.6", "pow@@GLIBC_2.29", "pow"}, {"libmine.so", "solve@V_1.2", "solve"},
		{"app", "work._omp_fn.0", "work._omp_fn.0"}, {"app", "f [clone .part.3]", "f"}, {"app", "", ""},
		{"app", ".cold", ".cold"},
	} {
		if got := NormalName(c[0], c[1]); got != c[2] || NormalName(c[0], got) != got {
			t.Errorf("%s of %s: %q, not %q", c[1], c[0], got, c[2])
		}
	}
}
