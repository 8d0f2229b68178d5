// Runs the script of the page, given on stdin, against as much of a document as it
// touches: two pictures of 100 bins of a second. Prints what is read off and what is seen.
'use strict';
const values = [...Array(100).keys()];
function Element() {
  return { a: {}, on: {}, children: [], found: {}, dataset: {}, textContent: '',
    setAttribute(k, v) { this.a[k] = String(v); }, getAttribute(k) { return this.a[k]; },
    appendChild(c) { this.children.push(c); return c; }, addEventListener(n, f) { this.on[n] = f; },
    querySelector(s) { return this.found[s]; }, querySelectorAll(s) { return this.found[s] || []; },
    getBoundingClientRect() { return { left: 0, width: 1000 }; }, setPointerCapture() {} };
}
function chart() {
  const c = Element(), data = Element();
  data.a.height = '100';
  c.found = { '.data': data, '.xticks': Element() };
  c.dataset = { lo: '0', hi: '100' };
  return c;
}
const charts = [chart(), chart()], out = Element(), samples = Element(), box = Element(), keys = {};
samples.textContent = JSON.stringify({ phases: [], columns: [{ label: 'busy', start: 0, step: 1, mean: values, min: values, max: values }] });
box.found = { '.samples': samples, '.readout': out, 'svg.chart': charts };
global.document = { querySelector: () => box, createElementNS: Element, addEventListener: (n, f) => { keys[n] = f; } };
eval(require('fs').readFileSync(0, 'utf8'));

function say(what) {
  const line = charts[1].children[0].a;
  console.log(what + ': ' + out.textContent.slice(0, 8) + ' seen ' + charts[0].found['.data'].a.viewBox + ' line ' + line.visibility + ' ' + line.x1);
}
function press(key, times, shiftKey) {
  for (let i = 0; i < times; i++) { box.on.keydown({ key, shiftKey, preventDefault() {} }); }
  say(key + ' x ' + times);
}
charts[0].on.pointermove({ clientX: 100 });
say('point');
press('ArrowRight', 1);
press('ArrowRight', 1, true);
press('+', 2);
press('ArrowRight', 16);
press('-', 1);
press('ArrowRight', 200);
press('+', 20);
keys.keydown({ key: 'Escape' });
say('Escape');
charts[1].on.pointerdown({ button: 0, clientX: 200, pointerId: 1 });
charts[1].on.pointerup({ type: 'pointerup', clientX: 600 });
say('drag');
charts[1].on.pointerleave();
say('leave');
