"use strict";
(() => {
  const page = document.documentElement;
  page.classList.add("js");
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];

  // ---------- names of pictures: kept for screen readers, but not shown by the browser as a second tooltip
  for (const svg of all("svg[role=img]")) {
    const title = svg.querySelector("title");
    if (!title) continue;
    svg.setAttribute("aria-label", title.textContent);
    svg.removeAttribute("aria-labelledby");
    title.remove();
  }

  // ---------- tooltips
  const tip = document.getElementById("tip");
  const hide = () => { tip.hidden = true; };
  const show = (text, x, y) => {
    tip.textContent = text;
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    const left = Math.min(Math.max(x + 14, 6), innerWidth - box.width - 6);
    const top = y - box.height - 12 < 6 ? y + 18 : y - box.height - 12;
    tip.style.left = left + "px";
    tip.style.top = top + "px";
  };
  const scaleOf = (svg) => svg.dataset.scale.split(" ").map(Number);
  const pointsOf = new WeakMap();
  const points = (path) => {
    if (!pointsOf.has(path)) {
      const found = [...path.getAttribute("d").matchAll(/(-?[\d.]+),(-?[\d.]+)/g)];
      pointsOf.set(path, found.map((one) => [Number(one[1]), Number(one[2])]));
    }
    return pointsOf.get(path);
  };
  const figure = (value, span) => {
    const places = Math.max(0, Math.min(8, 2 - Math.floor(Math.log10(span || 1))));
    return value.toFixed(places);
  };
  const nearest = (svg, event) => {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    let best = null, least = 18 * 18;
    for (const path of all("path[data-name]", svg)) {
      for (const [x, y] of points(path)) {
        const far = (x - at.x) ** 2 + (y - at.y) ** 2;
        if (far < least) { least = far; best = [path, x, y]; }
      }
    }
    return best;
  };
  document.addEventListener("pointermove", (event) => {
    const marked = event.target.closest && event.target.closest("[data-tip]");
    if (marked) return show(marked.dataset.tip, event.clientX, event.clientY);
    const svg = event.target.closest && event.target.closest("svg[data-scale]");
    const found = svg && nearest(svg, event);
    if (!found) return hide();
    const [path, x, y] = found;
    const [x0, x1, left, right, y0, y1, bottom, top] = scaleOf(svg);
    const [xName, yName] = svg.dataset.labels.split("|");
    const xValue = figure(x0 + (x - left) / (right - left) * (x1 - x0), x1 - x0);
    const yValue = figure(y0 + (bottom - y) / (bottom - top) * (y1 - y0), y1 - y0);
    const said = xName ? `${xName} ${xValue}\n${yName} ${yValue}` : `${xValue} → ${yValue}`;
    show(`${path.dataset.name}\n${said}`, event.clientX, event.clientY);
  });
  document.addEventListener("pointerleave", hide);
  addEventListener("scroll", hide, { passive: true });
  addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });

  // ---------- a name in a legend lights up its line
  for (const entry of all(".legend li")) {
    const svg = entry.closest("figure") && entry.closest("figure").querySelector("svg.chart");
    if (!svg) continue;
    const lines = all("path[data-name]", svg).filter((path) => path.dataset.name === entry.dataset.series);
    if (!lines.length) continue;
    const light = (on) => {
      svg.classList.toggle("dimmed", on);
      lines.forEach((path) => path.classList.toggle("lit", on));
    };
    entry.addEventListener("pointerenter", () => light(true));
    entry.addEventListener("pointerleave", () => light(false));
  }

  // ---------- tables that sort; what has no value stays last either way
  const words = new Intl.Collator(page.lang, { numeric: true });
  for (const table of all("table.sortable")) {
    const heads = all("thead th", table);
    const body = table.tBodies[0];
    heads.forEach((head, column) => {
      const button = head.querySelector("button");
      if (!button) return;
      const numeric = head.dataset.sort === "number";
      const value = (row) => {
        const cell = row.cells[column];
        if (!numeric) return cell.textContent;
        const given = cell.dataset.value;
        return given === undefined || given === "" ? NaN : Number(given);
      };
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const rows = [...body.rows].map((row) => [value(row), row]);
        rows.sort(([a], [b]) => {
          if (!numeric) return down ? words.compare(b, a) : words.compare(a, b);
          if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
          return down ? b - a : a - b;
        });
        body.append(...rows.map(([, row]) => row));
      });
    });
  }

  // ---------- columns: search and fold
  const box = document.querySelector(".columns-box");
  const search = document.getElementById("columns-search");
  if (box && search) {
    const rows = all("tbody tr", box).map((row) => [row, row.textContent.toLocaleLowerCase()]);
    const found = box.querySelector(".found");
    const unfold = box.querySelector(".unfold");
    const foldable = box.classList.contains("folded");
    let open = false;
    const look = () => {
      const wanted = search.value.trim().toLocaleLowerCase();
      let n = 0;
      for (const [row, text] of rows) {
        const match = text.includes(wanted);
        row.hidden = !match;
        n += match;
      }
      box.classList.toggle("folded", foldable && !open && !wanted);
      found.textContent = wanted ? search.dataset.template.replace("{n}", n).replace("{all}", rows.length) : "";
    };
    search.addEventListener("input", look);
    if (unfold) unfold.addEventListener("click", () => {
      open = !open;
      unfold.setAttribute("aria-expanded", String(open));
      look();
    });
  }

  // ---------- threshold: counts are known exactly at every stop of the slider
  const slider = document.getElementById("threshold-slider");
  if (slider) {
    const data = JSON.parse(document.getElementById("threshold-data").textContent);
    const panel = document.getElementById("threshold");
    const percent = (share) => (Number.isFinite(share) ? (100 * share).toFixed(1) + "%" : "–");
    const whole = new Intl.NumberFormat("en-US");
    const live = all("svg[data-live]").map((svg) => [svg.dataset.live, svg.querySelector(".live"), scaleOf(svg)]);
    const place = (mark, [x0, x1, left, right, y0, y1, bottom, top], x, y) => {
      mark.setAttribute("cx", left + (x - x0) / (x1 - x0) * (right - left));
      mark.setAttribute("cy", bottom - (y - y0) / (y1 - y0) * (bottom - top));
    };
    const move = () => {
      const k = Number(slider.value);
      const tp = data.tp[k], fp = data.fp[k], fn = data.positives - tp, tn = data.negatives - fp;
      const total = data.positives + data.negatives;
      const counts = { tn, fp, fn, tp };
      const sums = { tn: data.negatives, fp: data.negatives, fn: data.positives, tp: data.positives };
      for (const [key, n] of Object.entries(counts)) {
        const share = sums[key] ? n / sums[key] : 0;
        const cell = panel.querySelector(`[data-count=${key}]`);
        cell.textContent = whole.format(n);
        cell.parentElement.style.setProperty("--h", share.toFixed(3));
        panel.querySelector(`[data-share=${key}]`).textContent = percent(share);
      }
      const [[costTn, costFp], [costFn, costTp]] = data.cost;
      const cost = (tn * costTn + fp * costFp + fn * costFn + tp * costTp) / total;
      const figures = {
        accuracy: percent((tp + tn) / total),
        precision: percent(tp / (tp + fp)),
        recall: percent(tp / (tp + fn)),
        specificity: percent(tn / (tn + fp)),
        f1: percent(2 * tp / (2 * tp + fp + fn)),
        cost: cost.toLocaleString("en-US", { minimumFractionDigits: data.places, maximumFractionDigits: data.places, useGrouping: "min2" }).replace("-", "−"),
      };
      for (const [key, text] of Object.entries(figures)) panel.querySelector(`[data-figure=${key}]`).textContent = text;
      document.getElementById("threshold-value").textContent = data.labels[k];
      slider.setAttribute("aria-valuetext", data.spoken.replace("{at}", data.labels[k])
        .replace("{precision}", figures.precision).replace("{recall}", figures.recall));
      for (const [kind, mark, scale] of live) {
        if (kind === "roc") place(mark, scale, fp / data.negatives, tp / data.positives);
        if (kind === "pr") place(mark, scale, tp / data.positives, tp + fp ? tp / (tp + fp) : 1);
        if (kind === "scores") {
          const x = scale[2] + data.at[k] * (scale[3] - scale[2]);
          mark.setAttribute("x1", x);
          mark.setAttribute("x2", x);
        }
      }
    };
    slider.addEventListener("input", move);
    for (const button of all("[data-mark]", panel)) {
      button.addEventListener("click", () => { slider.value = button.dataset.mark; move(); });
    }
    move();
  }

  // ---------- where one is on the page
  const links = new Map(all(".contents a").map((link) => [link.getAttribute("href").slice(1), link]));
  if ("IntersectionObserver" in window) {
    const watch = new IntersectionObserver((seen) => {
      for (const one of seen) {
        if (!one.isIntersecting) continue;
        links.forEach((link) => { link.classList.remove("here"); link.removeAttribute("aria-current"); });
        const link = links.get(one.target.id);
        if (link) { link.classList.add("here"); link.setAttribute("aria-current", "true"); }
      }
    }, { rootMargin: "-10% 0px -80% 0px" });
    all(".top, main > section").forEach((part) => watch.observe(part));
  }
})();
