// Scripts that run beside the page: the decoder, and what opens the page without a network.

/** Trusted Types: workers start only from files of this page. */
const policy = globalThis.trustedTypes?.createPolicy('door', {
  createScriptURL(url) {
    const { origin, pathname } = new URL(url, location.href);
    if (origin === location.origin && pathname.startsWith('/door/')) return url;
    throw new TypeError(`${url} is no script of the door`);
  },
});

/** A worker from a module of this release. */
export function startWorker(name) {
  return new Worker(scriptUrl(new URL(name, import.meta.url).href), { type: 'module' });
}

const scriptUrl = (url) => (policy ? policy.createScriptURL(url) : url);

/** Keeps the page on the phone, so that it opens without a network. Pages without service workers do without. */
export async function keepOffline() {
  await navigator.serviceWorker?.register(scriptUrl('/door/service-worker.js'), { scope: '/door/' });
}
