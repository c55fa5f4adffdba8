// Stands in for osascript(1) in tests: runs a script against browsers that are
// described in the file $BROWSERS, the way the release notes of JavaScript for
// Automation say that specifiers behave. It was written from those, not recorded
// on a Mac.
const fs = require("fs");
const vm = require("vm");

const file = process.env.BROWSERS;
const before = fs.readFileSync(file, "utf8");
const state = JSON.parse(before);
const argv = process.argv.slice(2);
if (argv[0] !== "-l" || argv[1] !== "JavaScript" || argv[2] !== "-e") {
  process.stderr.write("osascript: unexpected arguments\n");
  process.exit(2);
}

function fail(number, message) {
  throw Object.assign(new Error(message || "Error"), { errorNumber: number });
}

// elements are what `app.windows` and `window.tabs` are: callable, counted,
// indexed, and asked for one property of all of them at once.
function elements(list, properties, add) {
  const f = () => list.slice();
  Object.defineProperty(f, "length", { get: () => list.length });
  list.forEach((x, i) => (f[i] = x));
  for (const p of properties) Object.defineProperty(f, p, { value: () => list.map((x) => x[p]()) });
  f.push = (made) => add(made);
  return f;
}

function tabSpec(app, w, t, place) {
  const spec = {
    url: () => t.url,
    close: () => w.tabs.splice(w.tabs.indexOf(t), 1),
    select: () => (w.active = t.id),
  };
  if (app.kind === "safari") Object.assign(spec, { name: () => t.title, index: () => place });
  else Object.assign(spec, { title: () => t.title, id: () => t.id });
  return spec;
}

function windowSpec(app, w) {
  if (w.broken) return new Proxy({}, { get: () => fail(-1728, "Can't get object.") });
  const specs = w.tabs.map((t, i) => tabSpec(app, w, t, i + 1));
  const tabs = elements(specs, app.kind === "safari" ? ["url", "name", "index"] : ["url", "title", "id"], (made) => {
    w.tabs.push({ id: "900", title: "", url: null });
    tabs[w.tabs.length - 1] = tabSpec(app, w, w.tabs[w.tabs.length - 1], w.tabs.length);
    return made;
  });
  Object.defineProperty(tabs, "length", { get: () => w.tabs.length });
  const spec = { id: () => w.id, tabs };
  const property = (name, get, set) => Object.defineProperty(spec, name, { get: () => get, set });
  property("index", () => app.windows.indexOf(w) + 1, () => {
    app.windows.splice(app.windows.indexOf(w), 1);
    app.windows.unshift(w);
  });
  property(app.kind === "safari" ? "miniaturized" : "minimized", () => Boolean(w.minimized), (v) => (w.minimized = v));
  if (app.kind === "safari") {
    const current = () => tabSpec(app, w, w.tabs[w.active - 1], w.active);
    property("currentTab", Object.assign(current, { index: () => w.active }), (t) => (w.active = t.index()));
  } else if (app.kind === "arc") {
    property("activeTab", { id: () => w.active });
  } else {
    property("activeTabIndex", () => w.active, (n) => (w.active = n));
  }
  return spec;
}

function Application(who) {
  const known = state.browsers.find((b) => b.pid === who || b.id === who);
  const byID = typeof who === "string";
  if (!known) fail(-2700, "Application can't be found.");
  if (!byID && state.byIDOnly) fail(-2700, "Application can't be found.");
  const touch = () => {
    if (!known.running) {
      if (byID) state.launched = true; // which is what macOS does
      fail(-600, "Application isn't running.");
    }
    if (known.refused) fail(-1743, "Not authorized to send Apple events.");
  };
  const spec = { running: () => known.running, Tab: () => ({}), Window: () => ({ make: () => known.windows.push({ id: "99", active: 1, tabs: [] }) }) };
  spec.Document = spec.Window;
  Object.defineProperty(spec, "windows", {
    get: () => {
      touch();
      return elements(known.windows.map((w) => windowSpec(known, w)), ["id"]);
    },
  });
  return spec;
}

const context = vm.createContext({ Application });
vm.runInContext(argv[3], context);
context.args = argv.slice(4);
const said = vm.runInContext("run(args)", context);
// A reading changes nothing and must not write: another script, or the test, may
// have changed the browsers since it began.
const after = JSON.stringify(state);
if (after !== JSON.stringify(JSON.parse(before))) {
  const made = file + "." + process.pid;
  fs.writeFileSync(made, after);
  fs.renameSync(made, file);
}
process.stdout.write(said + "\n");
