// The tabs of one running browser, for `osascript -l JavaScript`:
//
//   list PID ID KIND                      every window with its tabs
//   select|close PID ID KIND WINDOW TAB URL  one of them
//   new PID ID KIND WINDOW                an empty one
//
// KIND is chromium, arc or safari: how the browser names things. A tab goes by
// its id, in Safari, which has none, by its place together with its address.
// What is printed is one JSON object of ASCII alone.

const mostWindows = 200, mostTabs = 4000, mostTitle = 1024, mostURL = 4096;
const notAllowed = -1743, notRunning = -600, gone = -1728, cut = -609, late = -1712;

function fault(number) {
  return Object.assign(new Error("fault"), { errorNumber: number });
}

// browser speaks to the very process, so that one that is just ending is not
// started again. Where a process cannot be addressed the browser is by its id,
// and only if it runs.
function browser(pid, id) {
  try {
    const app = Application(pid);
    app.windows.length;
    return app;
  } catch (e) {
    if ([notAllowed, notRunning, cut, late].includes(e.errorNumber)) throw e;
  }
  const app = Application(id);
  if (!app.running()) throw fault(notRunning);
  return app;
}

function text(value, most) {
  if (value === null || value === undefined) return "";
  return String(value).slice(0, most).replace(/[\ud800-\udfff]/gu, "\ufffd");
}

// address is "" for one that is too long to be gone by.
function address(value) {
  const s = text(value, mostURL + 1);
  return s.length > mostURL ? "" : s;
}

function tabIDs(w, kind, count) {
  if (kind !== "safari") return w.tabs.id().map(String);
  return Array.from({ length: count }, (_, i) => String(i + 1));
}

function shown(w, kind, ids) {
  switch (kind) {
    case "safari":
      return w.currentTab.index() - 1;
    case "arc":
      return ids.indexOf(String(w.activeTab.id()));
  }
  return w.activeTabIndex() - 1;
}

function windowOf(w, kind, most) {
  const urls = w.tabs.url();
  const titles = kind === "safari" ? w.tabs.name() : w.tabs.title();
  const ids = tabIDs(w, kind, urls.length);
  // A tab may have gone between two questions.
  const count = Math.min(urls.length, titles.length, ids.length, most);
  let front = -1;
  try {
    front = shown(w, kind, ids);
  } catch (e) {}
  return {
    id: String(w.id()),
    front: front,
    ids: ids.slice(0, count),
    titles: titles.slice(0, count).map((t) => text(t, mostTitle)),
    urls: urls.slice(0, count).map(address),
  };
}

function list(app, kind) {
  const windows = [];
  let left = mostTabs;
  for (const w of app.windows().slice(0, mostWindows)) {
    try {
      const one = windowOf(w, kind, left);
      left -= one.ids.length;
      windows.push(one);
    } catch (e) {
      // One without tabs, such as the settings, or that has just closed.
      if ([notAllowed, notRunning, cut, late].includes(e.errorNumber)) throw e;
    }
  }
  return { windows: windows };
}

// find returns the window and the place of a tab wherever it is now.
function find(app, kind, window, tab, url) {
  let elsewhere = null;
  for (const w of app.windows()) {
    try {
      if (kind !== "safari") {
        const i = w.tabs.id().map(String).indexOf(tab);
        if (i >= 0) return [w, i];
        continue;
      }
      const urls = w.tabs.url().map(address);
      const i = Number(tab) - 1;
      if (String(w.id()) === window && urls[i] === url) return [w, i];
      const j = url === "" ? -1 : urls.indexOf(url);
      if (j >= 0 && elsewhere === null) elsewhere = [w, j];
    } catch (e) {
      if ([notAllowed, notRunning, cut, late].includes(e.errorNumber)) throw e;
    }
  }
  if (elsewhere === null) throw fault(gone);
  return elsewhere;
}

function select(app, kind, window, tab, url) {
  const [w, i] = find(app, kind, window, tab, url);
  if (kind === "safari") w.currentTab = w.tabs[i];
  else if (kind === "arc") w.tabs[i].select();
  else w.activeTabIndex = i + 1;
  try {
    if (kind === "safari") w.miniaturized = false;
    else w.minimized = false;
  } catch (e) {}
  w.index = 1;
  return {};
}

function close(app, kind, window, tab, url) {
  const [w, i] = find(app, kind, window, tab, url);
  w.tabs[i].close();
  return {};
}

function create(app, kind, window) {
  if (app.windows.length === 0) {
    (kind === "safari" ? app.Document() : app.Window()).make();
    return {};
  }
  const w = app.windows().find((w) => String(w.id()) === window) || app.windows[0];
  w.tabs.push(app.Tab());
  if (kind === "safari") w.currentTab = w.tabs[w.tabs.length - 1];
  w.index = 1;
  return {};
}

function run(argv) {
  const [verb, pid, id, kind, window, tab, url] = argv;
  let answer;
  try {
    const app = browser(Number(pid), id);
    answer = { list, select, close, new: create }[verb](app, kind, window, tab, url);
  } catch (e) {
    answer = { error: Number(e.errorNumber) || 0 };
  }
  return JSON.stringify(answer).replace(/[\u007f-\uffff]/g, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
}
