package periodicity

// The loops of a transform over all of its points.

// product is that of a + ib and c + id.
func product(a, b, c, d float32) (re, im float32) { return a*c - b*d, a*d + b*c }

// split is the stage of a transform into reversed order.
func (s stageOf) split(re, im []float32) {
	h := s.h
	for b := 4 * h * splitLanes(re, im, s.w, h); b < len(re); b += 4 * h {
		for j := range h {
			p, q, r, t := b+j, b+h+j, b+2*h+j, b+3*h+j
			ar, ai, br, bi := re[p]+re[r], im[p]+im[r], re[p]-re[r], im[p]-im[r]
			cr, ci, dr, di := re[q]+re[t], im[q]+im[t], re[q]-re[t], im[q]-im[t]
			re[p], im[p] = ar+cr, ai+ci
			re[q], im[q] = product(br+di, bi-dr, s.w[j], s.w[h+j])
			re[r], im[r] = product(ar-cr, ai-ci, s.w[2*h+j], s.w[3*h+j])
			re[t], im[t] = product(br-di, bi+dr, s.w[4*h+j], s.w[5*h+j])
		}
	}
}

// join is the stage of a transform out of reversed order.
func (s stageOf) join(re, im []float32) {
	h := s.h
	for b := 4 * h * joinLanes(re, im, s.w, h); b < len(re); b += 4 * h {
		for j := range h {
			p, q, r, t := b+j, b+h+j, b+2*h+j, b+3*h+j
			vr, vi := product(re[q], im[q], s.w[j], s.w[h+j])
			xr, xi := product(re[r], im[r], s.w[2*h+j], s.w[3*h+j])
			yr, yi := product(re[t], im[t], s.w[4*h+j], s.w[5*h+j])
			ar, ai, br, bi := re[p]+xr, im[p]+xi, re[p]-xr, im[p]-xi
			cr, ci, dr, di := vr+yr, vi+yi, vr-yr, vi-yi
			re[p], im[p] = ar+cr, ai+ci
			re[q], im[q] = br+di, bi-dr
			re[r], im[r] = ar-cr, ai-ci
			re[t], im[t] = br-di, bi+dr
		}
	}
}

// neighbours is the stage of four points next to each other, whose factors are 1.
func neighbours(re, im []float32) {
	im = im[:len(re)]
	for i := 0; i+4 <= len(re); i += 4 {
		x, y := re[i:i+4:i+4], im[i:i+4:i+4]
		ar, ai, br, bi := x[0]+x[2], y[0]+y[2], x[0]-x[2], y[0]-y[2]
		cr, ci, dr, di := x[1]+x[3], y[1]+y[3], x[1]-x[3], y[1]-y[3]
		x[0], y[0], x[1], y[1] = ar+cr, ai+ci, br+di, bi-dr
		x[2], y[2], x[3], y[3] = ar-cr, ai-ci, br-di, bi+dr
	}
}
