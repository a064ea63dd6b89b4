// The page opens without a network: the files of a release are kept together, the entries are asked for first.
// The server writes the line above: `release`, the folder and the paths of its files.

const CACHE = `door-${release.folder}`;
const ROOT = '/door/';

/** Whose path stays: the network's answer counts as long as there is one. */
const ENTRIES = ['', 'manifest.webmanifest', 'settings.json'].map((name) => `${ROOT}${name}`);

/** How long the network may take before the kept entry is shown. Milliseconds. */
const PATIENCE_MS = 4_000;

const install = async () => {
  const cache = await caches.open(CACHE);
  await cache.addAll([...ENTRIES, ...release.paths.map((path) => `${ROOT}${path}`)]);
  await self.skipWaiting();
};

const activate = async () => {
  const old = (await caches.keys()).filter((name) => name.startsWith('door-') && name !== CACHE);
  await Promise.all(old.map((name) => caches.delete(name)));
  await self.clients.claim();
};

/** The answer of the network, which is kept; the kept one where there is none in time. */
const freshest = async (path) => {
  const cache = await caches.open(CACHE);
  try {
    const answer = await fetch(path, { cache: 'no-cache', signal: AbortSignal.timeout(PATIENCE_MS) });
    if (!answer.ok) throw new Error(`${answer.status}`);
    // A page of another release comes with its own worker, which keeps it together with its files.
    const isOwn = path !== ROOT || (await answer.clone().text()).includes(release.folder);
    if (isOwn) await cache.put(path, answer.clone());
    return answer;
  } catch (error) {
    const kept = await cache.match(path);
    if (kept) return kept;
    throw error;
  }
};

const kept = async (request) => (await caches.match(request)) ?? fetch(request);

self.addEventListener('install', (event) => event.waitUntil(install()));
self.addEventListener('activate', (event) => event.waitUntil(activate()));
self.addEventListener('fetch', (event) => {
  const { method, url } = event.request;
  const { origin, pathname } = new URL(url);
  if (method !== 'GET' || origin !== self.location.origin || !pathname.startsWith(ROOT)) return;
  event.respondWith(ENTRIES.includes(pathname) ? freshest(pathname) : kept(event.request));
});
