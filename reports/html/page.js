// Reads off values under the pointer and zooms the timeline: drag to zoom,
// double click or Escape to see the whole run; by keys, left and right walk a bin (with
// Shift a tenth of what is seen), + and - zoom around the cursor. The page is complete
// without it.
(function () {
  'use strict';
  var NS = 'http://www.w3.org/2000/svg', TOP = 20, WIDE = 1000;
  var STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800];
  var box = document.querySelector('.timeline');
  if (!box) { return; }
  var data = JSON.parse(box.querySelector('.samples').textContent);
  var out = box.querySelector('.readout');
  var charts = Array.prototype.slice.call(box.querySelectorAll('svg.chart'));
  var whole = [+charts[0].dataset.lo, +charts[0].dataset.hi], view = whole.slice();
  var hint = 'Point at the picture to read values; drag to zoom, double click for the whole run; or Tab to it, arrow keys, + and -.';
  var now = null, cursors = [];

  function element(parent, name, attributes) {
    var e = document.createElementNS(NS, name);
    Object.keys(attributes).forEach(function (k) { e.setAttribute(k, attributes[k]); });
    return parent.appendChild(e);
  }
  function two(n) { return (n < 10 ? '0' : '') + n; }
  function clock(t, step) {
    if (whole[1] < 120 || step < 1) { return +t.toFixed(step < 0.1 ? 3 : step < 1 ? 2 : 1) + ' s'; }
    t = Math.round(t);
    return Math.floor(t / 3600) + ':' + two(Math.floor(t / 60) % 60) + ':' + two(t % 60);
  }
  function stepFor(raw) {
    if (raw > 0.5) { return STEPS.find(function (s) { return s >= raw; }) || 604800; }
    var p = Math.pow(10, Math.floor(Math.log10(raw)));
    return [1, 2, 5, 10].map(function (m) { return m * p; }).find(function (s) { return s >= raw * 0.999; });
  }
  function at(t) { return (t - view[0]) / (view[1] - view[0]); }

  function ticks(g, y) {
    g.textContent = '';
    var step = stepFor((view[1] - view[0]) / 6), i = Math.ceil(view[0] / step - 1e-9), n = 0;
    for (; i * step <= view[1] + 1e-9; i++, n++) {
      var x = at(i * step);
      element(g, 'text', { 'class': n % 2 ? 'tick second' : 'tick', x: (100 * x).toFixed(2) + '%', y: y,
        'text-anchor': x < 0.03 ? 'start' : x > 0.97 ? 'end' : 'middle' }).textContent = clock(i * step, step);
    }
  }
  function draw() {
    var span = whole[1] - whole[0];
    charts.forEach(function (c) {
      var inner = c.querySelector('.data'), h = +inner.getAttribute('height');
      inner.setAttribute('viewBox', [WIDE * (view[0] - whole[0]) / span, 0, WIDE * (view[1] - view[0]) / span, h].join(' '));
      ticks(c.querySelector('.xticks'), TOP + h + 15);
      c.querySelectorAll('text.mark').forEach(function (m) {
        var lo = Math.max(0, at(+m.dataset.lo)), hi = Math.min(1, at(+m.dataset.hi));
        m.setAttribute('x', 50 * (lo + hi) + '%');
        m.setAttribute('visibility', hi - lo > 0.02 ? 'visible' : 'hidden');
      });
    });
  }
  function short(v) {
    if (v === null || v === undefined) { return '-'; }
    return String(+v.toPrecision(3));
  }
  function read(t) {
    var words = [clock(t, data.columns[0].step)];
    data.phases.forEach(function (p) { if (t >= p[0] && t < p[1]) { words.push(p[2]); } });
    data.columns.forEach(function (c) {
      var i = Math.floor((t - c.start) / c.step);
      words.push(c.label + ' ' + short(c.mean[i]) + (c.min ? ' (' + short(c.min[i]) + ' .. ' + short(c.max[i]) + ')' : ''));
    });
    out.textContent = words.join('   ·   ');
  }

  // One time for all pictures: a line through each, and the values under it.
  function point(t) {
    now = t;
    cursors.forEach(function (l) {
      var seen = t !== null && t >= view[0] && t <= view[1];
      if (seen) {
        l.setAttribute('x1', 100 * at(t) + '%');
        l.setAttribute('x2', 100 * at(t) + '%');
      }
      l.setAttribute('visibility', seen ? 'visible' : 'hidden');
    });
    if (t === null) { out.textContent = hint; } else { read(t); }
  }
  function show(lo, hi) {
    view = [Math.max(whole[0], lo), Math.min(whole[1], hi)];
    draw();
    point(now);
  }
  function key(e) {
    var span = view[1] - view[0], step = e.shiftKey ? span / 10 : Math.max(data.columns[0].step, span / 1000);
    var t = now === null ? (view[0] + view[1]) / 2 : now, by = { ArrowLeft: -step, ArrowRight: step }[e.key];
    if (e.ctrlKey || e.altKey || e.metaKey) { return; }
    if (by !== undefined) {
      t = Math.min(whole[1] - data.columns[0].step / 2, Math.max(whole[0], t + by));
      if (t < view[0]) { show(t, t + span); } else if (t > view[1]) { show(t - span, t); }
      point(t);
    } else if (e.key === '+' || e.key === '=') {
      if (span > 4 * data.columns[0].step) { show(t - span / 4, t + span / 4); }
    } else if (e.key === '-') {
      show(t - span, t + span);
    } else {
      return;
    }
    e.preventDefault();
  }

  charts.forEach(function (c) {
    var h = +c.querySelector('.data').getAttribute('height'), from = null;
    cursors.push(element(c, 'line', { 'class': 'cursor', y1: TOP, y2: TOP + h, visibility: 'hidden' }));
    var drag = element(c, 'rect', { 'class': 'drag', y: TOP, height: h, visibility: 'hidden' });
    function time(e) {
      var r = c.getBoundingClientRect(), f = Math.min(1, Math.max(0, (e.clientX - r.left) / r.width));
      return view[0] + f * (view[1] - view[0]);
    }
    c.addEventListener('pointermove', function (e) {
      var t = time(e);
      point(t);
      if (from === null) { return; }
      drag.setAttribute('x', 100 * at(Math.min(from, t)) + '%');
      drag.setAttribute('width', 100 * Math.abs(at(t) - at(from)) + '%');
      drag.setAttribute('visibility', 'visible');
    });
    c.addEventListener('pointerdown', function (e) {
      if (e.button === 0) { from = time(e); c.setPointerCapture(e.pointerId); }
    });
    function release(e) {
      var t = time(e), least = Math.max(2 * data.columns[0].step, (view[1] - view[0]) / 100);
      drag.setAttribute('visibility', 'hidden');
      if (from !== null && Math.abs(t - from) > least && e.type === 'pointerup') {
        show(Math.min(from, t), Math.max(from, t));
      }
      from = null;
    }
    c.addEventListener('pointerup', release);
    c.addEventListener('pointercancel', release);
    c.addEventListener('pointerleave', function () { if (charts.indexOf(document.activeElement) < 0) { point(null); } });
    c.addEventListener('dblclick', function () { show(whole[0], whole[1]); });
  });
  document.addEventListener('keydown', function (e) {
    if (e.key === 'Escape') { show(whole[0], whole[1]); }
  });
  charts.forEach(function (c) { c.setAttribute('tabindex', '0'); });
  box.setAttribute('role', 'group');
  box.setAttribute('aria-label', 'The run over time: arrow keys read values');
  box.addEventListener('keydown', key);
  box.addEventListener('focusout', function () { point(null); });
  out.textContent = hint;
})();
