// The server: requests, whether it can be reached, and its time.

const PATIENCE_MS = 20_000;
/** How long the server is left alone if it does not say. Milliseconds. */
const PAUSE_MS = 5_000;
/** From which difference on the phone's clock is wrong; an answer's time is of whole seconds. Milliseconds. */
const CLOCK_MS = 3_000;
const CLOCK = 'boxoffice.door.clock';
/** The longest page of a list. */
const PAGE = 500;

/** An answer that is none: `status` 0 without one at all, `code` the envelope's. */
export class Failure extends Error {
  constructor(status, code) {
    super(code);
    this.status = status;
    this.code = code;
  }
}

/**
 * - `send(path, init)`: fetch with the steward's token; 401 once that cannot be renewed
 * - `storage`: keeps the clock's difference
 * - `onChange()`: called when the server was reached, or not any more
 */
export function createLink({ send, storage, onChange, clock = Date.now }) {
  let offset = Number(storage.getItem(CLOCK) ?? 0);
  let state = 'up';
  let pausedUntil = 0;

  const become = (next) => {
    if (state === next) return;
    state = next;
    onChange();
  };

  const setClock = (response, startedAt) => {
    const date = Date.parse(response.headers.get('Date') ?? '');
    const ended = clock();
    const difference = date + 500 - (startedAt + ended) / 2;
    // The answer was written at any time of the exchange, so a slow one says little.
    const doubtMs = CLOCK_MS + (ended - startedAt) / 2;
    if (Number.isNaN(date) || Math.abs(difference - offset) < doubtMs) return;
    offset = Math.abs(difference) < doubtMs ? 0 : difference;
    storage.setItem(CLOCK, String(offset));
  };

  const pause = (response) => {
    const seconds = Number.parseInt(response.headers.get('Retry-After') ?? '', 10);
    pausedUntil = clock() + (seconds > 0 ? seconds * 1_000 : PAUSE_MS);
  };

  const request = async (path, { method = 'GET', body, headers = {}, timeoutMs = PATIENCE_MS } = {}) => {
    if (clock() < pausedUntil) throw new Failure(0, 'paused');
    const startedAt = clock();
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), timeoutMs);
    try {
      const response = await send(path, {
        method,
        headers: { Accept: 'application/json', ...(body ? { 'Content-Type': 'application/json' } : {}), ...headers },
        ...(body ? { body: JSON.stringify(body) } : {}),
        signal: controller.signal,
      });
      const answer = await response.json().catch(() => ({}));
      setClock(response, startedAt);
      if (response.status === 429 || response.status >= 500) pause(response);
      become(response.status === 401 ? 'signed out' : response.status >= 500 ? 'down' : 'up');
      if (!response.ok) throw new Failure(response.status, answer.status);
      return { data: answer.data, etag: response.headers.get('ETag') };
    } catch (error) {
      if (error instanceof Failure) throw error;
      become('down');
      throw new Failure(0, 'network');
    } finally {
      clearTimeout(timer);
    }
  };

  return {
    /** Whether a request is worth a try. */
    isUp: () => state === 'up' && clock() >= pausedUntil,
    isSignedOut: () => state === 'signed out',
    /** Notes what the browser knows of its network. */
    setOffline: () => become('down'),
    /** The server's time, epoch milliseconds. */
    now: () => clock() + offset,
    /** The data of a GET. @throws {Failure} */
    async get(path, query = {}, { timeoutMs } = {}) {
      const given = Object.entries(query).filter(([, value]) => value !== undefined);
      const search = new URLSearchParams(given);
      return (await request(given.length === 0 ? path : `${path}?${search}`, { timeoutMs })).data;
    },
    /** The items of all pages of a list. @throws {Failure} */
    async getAll(path, query = {}) {
      const all = [];
      for (let cursor; ; ) {
        const { items, nextCursor } = await this.get(path, { ...query, limit: PAGE, cursor });
        all.push(...items);
        if (nextCursor === null) return all;
        cursor = nextCursor;
      }
    },
    /** The answers to scans. @throws {Failure} */
    async control(items, { timeoutMs } = {}) {
      const { data } = await request('/svc/v3/tickets/controls', { method: 'POST', body: { items }, timeoutMs });
      return data.items;
    },
    /** Takes back the control of this instant; false if the ticket has another one or none. @throws {Failure} */
    async revert(ticketId, at) {
      const path = `/svc/v3/tickets/${encodeURIComponent(ticketId)}`;
      const { data, etag } = await request(path);
      if (data.status !== 'controlled' || data.controlledAt !== at) return false;
      try {
        await request(`${path}/control`, { method: 'DELETE', headers: { 'If-Match': etag } });
        return true;
      } catch (error) {
        if (error.status === 409 || error.status === 412) return false;
        throw error;
      }
    },
  };
}
