package periodicity

import "gonum.org/v1/gonum/dsp/fourier"

// transform computes correlations of real series of one length through their power spectrum.
// It keeps its tables and buffers, so that it serves one goroutine at a time.
type transform struct {
	fft      *fourier.FFT
	cosine   *fourier.DCT // the inverse for power spectra, which are real and even: half of the work of an FFT
	series   []float64    // size values
	spectrum []complex128 // size/2+1 coefficients
	real     []float64    // size/2+1 values
}

// transformSize returns the least number from points on that is a multiple of 4 with no other prime factors than 2, 3
// and 5, which the transforms are fast for.
func transformSize(points int) int {
	for size := max(4, (points+3)/4*4); ; size += 4 {
		rest := size
		for _, prime := range [...]int{2, 3, 5} {
			for rest%prime == 0 {
				rest /= prime
			}
		}
		if rest == 1 {
			return size
		}
	}
}

// newTransform returns a transform of size points, for series of at most that many values. size must be a value of
// transformSize.
func newTransform(size int) *transform {
	return &transform{
		fft:      fourier.NewFFT(size),
		cosine:   fourier.NewDCT(size/2 + 1),
		series:   make([]float64, size),
		spectrum: make([]complex128, size/2+1),
		real:     make([]float64, size/2+1),
	}
}

// power adds the power spectrum of x, padded with zeros to the transform's size, to p, which has size/2+1 values.
func (t *transform) power(x, p []float32) {
	for i, v := range x {
		t.series[i] = float64(v)
	}
	clear(t.series[len(x):])
	t.fft.Coefficients(t.spectrum, t.series)
	for k, c := range t.spectrum {
		re, im := real(c), imag(c)
		p[k] += float32(re*re + im*im)
	}
}

// correlate writes into c the correlation at lags 0..len(c)-1 of the series whose power spectrum is p.
func (t *transform) correlate(p, c []float32) {
	for k, v := range p {
		t.real[k] = float64(v)
	}
	t.cosine.Transform(t.real, t.real)
	size := len(t.series)
	scale := 1 / float64(size)
	for i := range c {
		c[i] = float32(t.real[min(i, size-i)] * scale) // the correlation is even and of period size
	}
}
