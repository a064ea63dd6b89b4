// Sign-in at the authorizer with PKCE (RFC 7636), and requests with the steward's token. The refresh token stays on the
// phone until it is signed out, so that an evening goes on after a reload, a closed page and hours without a network.

const SCOPES = 'catalog:read tickets:read tickets:write offline_access';

/** Every key of this page begins with it; signing out removes them all. */
const PREFIX = 'boxoffice.door';
const [SESSION, ACCESS, PENDING] = ['session', 'access', 'pending'].map((name) => `${PREFIX}.${name}`);

/** A token is renewed before it ends, since requests take time. Milliseconds. */
const EARLY_MS = 60_000;
/**
 * An answer that was lost can be asked for again within ten seconds, not later: three attempts fit in. Milliseconds.
 */
const [ATTEMPTS, ATTEMPT_MS, PAUSE_MS] = [3, 2_800, 400];

/** The authorizer did not answer; it may do so later. */
class Unreachable extends Error {}

/**
 * The installation's settings: `{address, clients: [{name, clientId}]}`. Users return to `address`; a page that was
 * opened at another one goes there.
 */
export async function loadSettings() {
  const settings = await (await fetch('settings.json')).json();
  if (new URL(settings.address).origin === location.origin) return settings;
  location.replace(settings.address);
  return new Promise(() => {});
}

/**
 * - `address`, `clients`: of the settings
 * - `onChange()`: called when the session has ended, or begun in another tab
 */
export function createSignIn({ address, clients, onChange = () => {} }) {
  /**
   * As of the last sign-in, renewal or sign-out, in whichever tab: a browser that clears its storage ends no evening.
   */
  let known = read(localStorage, SESSION);
  const session = () => known;
  let access = read(sessionStorage, ACCESS);
  let renewing;

  const remember = (next) => {
    known = next;
    localStorage.setItem(SESSION, JSON.stringify(next));
  };

  const keep = ({ access_token: token, expires_in: seconds, refresh_token: refreshToken }, about) => {
    access = { token, endsAt: Date.now() + seconds * 1_000 };
    sessionStorage.setItem(ACCESS, JSON.stringify(access));
    remember({ ...about, refreshToken });
  };

  /** What was scanned stays for whoever signs in next. */
  const end = () => {
    access = null;
    sessionStorage.removeItem(ACCESS);
    const ended = session();
    if (ended) remember({ ...ended, refreshToken: null });
    onChange();
  };

  /** A new access token; undefined where the session has ended. One tab at a time: a refresh token is used once. */
  const renew = () =>
    navigator.locks.request(PREFIX, async () => {
      // Another tab may have renewed it just now.
      const { refreshToken, ...about } = read(localStorage, SESSION) ?? session() ?? {};
      if (!refreshToken) return undefined;
      const form = { grant_type: 'refresh_token', refresh_token: refreshToken, client_id: about.clientId };
      const answer = await post('/auth/token', form);
      if (answer.access_token === undefined) return end();
      keep(answer, about);
      return access.token;
    });

  const token = async ({ isRefused = false } = {}) => {
    if (access && !isRefused && Date.now() < access.endsAt - EARLY_MS) return access.token;
    renewing ??= renew().finally(() => {
      renewing = undefined;
    });
    return renewing;
  };

  // Signed out or in again in another tab.
  addEventListener('storage', ({ key }) => {
    if (key !== SESSION) return;
    known = read(localStorage, SESSION);
    onChange();
  });

  return {
    clients,
    /**
     * The steward's session, also without a network: `{clientId, institution, userId, role, isActive}`; not active any
     * more once the authorizer has ended it. Undefined where nobody has signed in.
     */
    session() {
      const { refreshToken, ...about } = session() ?? {};
      return about.clientId && { ...about, isActive: Boolean(refreshToken) };
    },

    /** Leaves the page for the sign-in, which always asks for the password: the phone may have been handed on. */
    async begin(clientId, language = document.documentElement.lang) {
      const pending = { clientId, verifier: random(), state: random() };
      localStorage.setItem(PENDING, JSON.stringify(pending));
      const query = new URLSearchParams({
        response_type: 'code',
        client_id: clientId,
        redirect_uri: address,
        scope: SCOPES,
        state: pending.state,
        code_challenge: await challengeOf(pending.verifier),
        code_challenge_method: 'S256',
        prompt: 'login',
        ui_locales: language,
      });
      location.assign(`/auth/authorize?${query}`);
    },

    /**
     * Takes the answer of the sign-in out of the page's address. Undefined where there is none or all is well, else
     * `role` (this user may not control tickets), `access_denied`, `unreachable`, or another error of OAuth.
     */
    async complete() {
      const answer = new URLSearchParams(location.search);
      if (!answer.has('state')) return undefined;
      history.replaceState(null, '', location.pathname);
      const pending = read(localStorage, PENDING);
      localStorage.removeItem(PENDING);
      // An answer to a request of this page only (RFC 6749, 10.12), of this authorizer only (RFC 9207).
      if (answer.get('state') !== pending?.state || answer.get('iss') !== new URL(address).origin)
        return this.session()?.isActive ? undefined : 'invalid_request';
      if (answer.has('error')) return answer.get('error');
      const { clientId, verifier } = pending;
      const form = { grant_type: 'authorization_code', redirect_uri: address, client_id: clientId };
      try {
        const given = await post('/auth/token', { ...form, code: answer.get('code'), code_verifier: verifier });
        if (given.access_token === undefined) return given.error;
        const { institution, sub: userId, role, scope } = claimsIn(given.access_token);
        if (!scope.split(' ').includes('tickets:write')) return 'role';
        keep(given, { clientId, institution, userId, role });
        return undefined;
      } catch (error) {
        if (error instanceof Unreachable) return 'unreachable';
        throw error;
      }
    },

    /**
     * Fetches with the steward's token. 401 once the session has ended. @throws where there is no network, or the
     * authorizer does not answer
     */
    async send(path, { headers, ...init } = {}) {
      const withToken = (bearer) =>
        bearer === undefined
          ? new Response(null, { status: 401 })
          : fetch(path, {
              cache: 'no-store',
              credentials: 'omit',
              ...init,
              headers: { ...headers, Authorization: `Bearer ${bearer}` },
            });
      const response = await withToken(await unlessAborted(token(), init.signal));
      return response.status === 401 && session()?.refreshToken
        ? withToken(await unlessAborted(token({ isRefused: true }), init.signal))
        : response;
    },

    /** Ends the session at the authorizer, if it can be reached, and removes all that the phone has of the evening. */
    async signOut() {
      const { refreshToken, clientId } = session() ?? {};
      [access, known] = [null, null];
      for (const storage of [localStorage, sessionStorage])
        for (const key of Object.keys(storage).filter((one) => one.startsWith(PREFIX))) storage.removeItem(key);
      const forgetting = indexedDB.deleteDatabase(PREFIX);
      await new Promise((resolve) => {
        forgetting.onsuccess = resolve;
        forgetting.onerror = resolve;
        forgetting.onblocked = resolve;
      });
      if (refreshToken) await post('/auth/revoke', { token: refreshToken, client_id: clientId }).catch(() => {});
    },
  };
}

const read = (storage, key) => JSON.parse(storage.getItem(key) ?? 'null');

/**
 * Sends a form to the authorizer: the answer's body, or its OAuth error as `error`. A lost answer is asked for again,
 * which gives the same successor of a refresh token. @throws {Unreachable}
 */
const post = async (path, form) => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const signal = AbortSignal.timeout(ATTEMPT_MS);
      const answer = await fetch(path, {
        method: 'POST',
        body: new URLSearchParams(form),
        signal,
        credentials: 'omit',
      });
      if (answer.status >= 500 || answer.status === 429) throw new Unreachable(`status ${answer.status}`);
      return await answer.json();
    } catch (error) {
      if (attempt === ATTEMPTS) throw new Unreachable(error.message);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
};

const random = () => base64url(crypto.getRandomValues(new Uint8Array(32)));

const base64url = (bytes) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

const challengeOf = async (verifier) =>
  base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))));

const claimsIn = (token) => JSON.parse(atob(token.split('.')[1].replaceAll('-', '+').replaceAll('_', '/')));

/** The promise's value; rejects once the signal aborts, so that nobody waits longer than they will. */
const unlessAborted = (promise, signal) =>
  Promise.race([
    promise,
    new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason), { once: true })),
  ]);
