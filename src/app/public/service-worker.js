// Starts the messenger without a network, and shows that messages wait. What they are is opened by `push.js`, which is loaded only then.

const files = "mls-relay app files";
const texts = "mls-relay app texts";
const store = "mls-relay app";
const opener = "./push.js";
const anyWay = { ignoreVary: true };
const page = new URL("./", self.location).href;
/** Under this address, the files of the newest page and of the one before are listed. */
const versions = new URL("versions", page).href;
/** After this time without an answer, the page starts as it was last time. */
const patienceMillis = 3_000;

self.addEventListener("install", (event) => {
  self.skipWaiting();
  loadOpener();
  event.waitUntil(renewPage());
});

self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || !url.href.startsWith(page)) return;
  if (request.mode === "navigate") event.respondWith(startPage(event));
  else if (url.pathname.includes("/assets/")) event.respondWith(asset(request));
});

/** The newest page if the relay answers in time. Its files are kept before it is, so what is kept is always whole. */
async function startPage(event) {
  const renewed = renewPage();
  event.waitUntil(renewed.catch(() => undefined));
  const late = new Promise((resolve) => setTimeout(resolve, patienceMillis));
  const fresh = await Promise.race([renewed.catch(() => undefined), late]);
  return fresh ?? (await (await caches.open(files)).match(page, anyWay)) ?? renewed;
}

async function renewPage() {
  const answer = await fetch(page, { cache: "no-cache" });
  if (!answer.ok) throw new Error(`the page was answered ${answer.status}`);
  const cache = await caches.open(files);
  const needed = await keepFiles(await answer.clone().text(), cache);
  await cache.put(page, answer.clone());
  const [last = [], earlier = []] = (await (await cache.match(versions))?.json()) ?? [];
  const isSame = last.join() === needed.join();
  // An open page may be of the version before.
  const kept = isSame ? [last, earlier] : [needed, last];
  await cache.put(versions, new Response(JSON.stringify(kept)));
  const names = new Set([page, versions, ...kept.flat()]);
  for (const { url } of await cache.keys()) if (!names.has(url)) await cache.delete(url);
  return answer;
}

/** Keeps the files that a page names, and those that its scripts load later. Returns their addresses. */
async function keepFiles(html, cache) {
  const named = [...html.matchAll(/(?:src|href)="(\.\/(?:assets\/|icon|manifest)[^"]+)"/g)];
  const needed = new Set(named.map(([, name]) => new URL(name, page).href));
  // A set is walked with what is added meanwhile.
  for (const address of needed) {
    if (!(await cache.match(address, anyWay))) await cache.add(address);
    if (!address.endsWith(".js")) continue;
    const script = await (await cache.match(address, anyWay)).text();
    for (const [, name] of script.matchAll(/\bimport\([`"'](\.\/[\w.-]+\.js)[`"']\)/g))
      needed.add(new URL(name, address).href);
  }
  return [...needed];
}

/** Names of assets contain a hash of their content. */
async function asset(request) {
  return (await (await caches.open(files)).match(request, anyWay)) ?? fetch(request);
}

self.addEventListener("push", (event) => event.waitUntil(answerPush(event.data)));

/** A worker can load later only what it has loaded while it was installed. */
function loadOpener() {
  try {
    self.importScripts(opener);
  } catch {
    // Notifications then say only that messages wait.
  }
  return self.showWaiting;
}

async function answerPush(data) {
  const pages = await self.clients.matchAll({ type: "window" });
  const { type, code } = readPush(data);
  // The page has the token by which the relay learns that the code has come.
  if (type === "confirm") for (const client of pages) client.postMessage({ type, code });
  if (pages.some(({ visibilityState }) => visibilityState === "visible")) return;
  if (type === "wake" && (await showWhatWaits())) return;
  const options = { tag: "messages", icon: "./icon.png", badge: "./icon.png" };
  await self.registration.showNotification((await textOf(type === "wake" ? "wake" : "works")) ?? "Messenger", options);
}

/** False if it is not known what waits. */
async function showWhatWaits() {
  const show = self.showWaiting ?? loadOpener();
  if (show === undefined) return false;
  try {
    const withNames = (await textOf("names")) === "yes";
    if (!(await show(self.registration, { store, withNames }))) await showNothing();
    return true;
  } catch {
    return false;
  }
}

/** Some browsers end a subscription whose pushes show nothing. */
async function showNothing() {
  if ((await self.registration.getNotifications()).length > 0) return;
  await self.registration.showNotification("Messenger", { tag: "nothing", silent: true });
  for (const shown of await self.registration.getNotifications({ tag: "nothing" })) shown.close();
}

async function textOf(name) {
  const stored = await (await caches.open(texts)).match(new URL(name, page));
  return stored?.text();
}

/** A push service may deliver an empty push as a text. It means: look for messages. */
function readPush(data) {
  try {
    const { type, code } = data.json();
    return type === "confirm" || type === "test" ? { type, code } : { type: "wake" };
  } catch {
    return { type: "wake" };
  }
}

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(showPage(event.notification.data?.group));
});

async function showPage(group) {
  const [open] = await self.clients.matchAll({ type: "window" });
  open?.postMessage({ type: "chat", group });
  await (open?.focus() ?? self.clients.openWindow(group === undefined ? page : `${page}#chat=${group}`));
}
