// Phones at the door of a running service: the page's modules, a memory, and a network that comes and goes.

import type { Fixture } from '../fixture/service.ts';
import { addMembers, createConfirmedOrder, issueAndPrint } from '../fixture/tickets.ts';

/** A module of `services/tickets/browser`, which browsers load as it is, without types. */
// biome-ignore lint/suspicious/noExplicitAny: plain JavaScript
export function importDoorModule(name: string): Promise<any> {
  return import(new URL(`../../browser/${name}`, import.meta.url).href);
}

const { createEvening } = await importDoorModule('evening.js');
const { createLink } = await importDoorModule('link.js');
const { createVerifier } = await importDoorModule('verify.js');

/** What a request meets: nothing is sent, it arrives but its answer does not, both arrive, or it is refused. */
type Weather =
  | 'none'
  | 'lost answers'
  | 'good'
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>> };

type Records = Map<string, Record<string, unknown>>;

const KEYS: Readonly<Record<string, string>> = {
  lists: 'performanceId',
  statuses: 'id',
  scans: 'nonce',
  settings: 'name',
};

type Changes = Record<string, { clear?: boolean; remove?: string[]; put?: Record<string, unknown>[] }>;

/** The two memories that outlive a phone's page: one as IndexedDB, whose records are copied, and texts. */
export function createMemory() {
  const stores = new Map<string, Records>(Object.keys(KEYS).map((name) => [name, new Map()]));
  const of = (name: string) => stores.get(name) as Records;
  let isRefused = false;
  let connections: { lost: () => void; isOpen: boolean }[] = [];
  const connected = (own: { isOpen: boolean }) => ({
    all: async (name: string) => structuredClone([...of(name).values()]),
    async write(changes: Changes): Promise<void> {
      const isMarked = of('settings').has('mark') || changes.settings?.put?.some(({ name }) => name === 'mark');
      if (isRefused || !own.isOpen || !isMarked) throw new Error('the database is gone');
      for (const [name, { clear, remove = [], put = [] }] of Object.entries(changes)) {
        if (clear) of(name).clear();
        for (const key of remove) of(name).delete(key);
        for (const record of put) of(name).set(String(record[String(KEYS[name])]), structuredClone(record));
      }
    },
  });
  return {
    texts: createTexts(),
    async connect({ onLost }: { onLost: () => void }) {
      if (isRefused) throw new Error('the database does not open');
      const own = { lost: onLost, isOpen: true };
      connections.push(own);
      return connected(own);
    },
    count: (name: string) => of(name).size,
    /** Somebody clears the database. */
    clear: () => {
      for (const records of stores.values()) records.clear();
    },
    /** The browser ends the connection; `isTold`: the page is told so. */
    end({ isTold = false } = {}) {
      const ended = connections;
      connections = [];
      for (const own of ended) own.isOpen = false;
      if (isTold) for (const { lost } of ended) lost();
    },
    /** From now on nothing can be kept. */
    refuse(refused = true) {
      isRefused = refused;
    },
  };
}

/** Texts by key, as `localStorage` has them. */
const createTexts = () => {
  const members = { getItem: (key: string) => texts[key] ?? null };
  const texts: Record<string, string> = Object.create({
    ...members,
    setItem(this: Record<string, string>, key: string, text: string) {
      this[key] = text;
    },
    removeItem(this: Record<string, string>, key: string) {
      delete this[key];
    },
  });
  return texts;
};

let phones = 0;

/** A phone whose page has loaded. `clock`: its own, epoch milliseconds. */
export async function openPhone(
  fixture: Fixture,
  { memory = createMemory(), clock = tick }: { memory?: ReturnType<typeof createMemory>; clock?: () => number } = {},
) {
  // What the page before has written is there.
  await new Promise(setImmediate);
  phones += 1;
  let [weather, sent, nonces] = ['good' as Weather, 0, 0];
  const own = phones;
  const link = createLink({
    clock,
    storage: { getItem: () => null, setItem: () => {} },
    onChange: () => {},
    async send(path: string, { method, headers, body }: { method: string; headers: object; body?: string }) {
      if (weather === 'none') throw new TypeError('Failed to fetch');
      sent += 1;
      if (typeof weather === 'object') return Response.json({ status: 'refused' }, weather);
      const { 'Content-Type': _, ...others } = headers as Record<string, string>;
      const options = { headers: others, ...(body === undefined ? {} : { body: JSON.parse(body) }) };
      const reply = await fixture.call(method, path, options);
      if (weather === 'lost answers') throw new TypeError('Failed to fetch');
      return { status: reply.status, ok: reply.status < 300, headers: reply.headers, json: async () => reply.body };
    },
  });
  const evening = createEvening({
    connect: memory.connect,
    storage: memory.texts,
    link,
    verify: createVerifier({ subtle: crypto.subtle, loadLibrary: () => import('@noble/ed25519') }),
    newNonce: () => {
      nonces += 1;
      return `phone-${own}-${nonces}`;
    },
    onChange: () => {},
  });
  await evening.open();
  return {
    evening,
    link,
    memory,
    requests: () => sent,
    setWeather: (next: Weather) => {
      weather = next;
      if (next === 'none') link.setOffline();
    },
  };
}

let last = 0;

/** The clock of all phones: no two scans happen in one millisecond, as no two of a person do, also after a reload. */
const tick = (): number => {
  last = Math.max(last + 1, Date.now());
  return last;
};

/** Tonight's performance, as a phone chooses it. */
export function createTonight(id: string) {
  return [{ id, startDate: new Date().toISOString() }];
}

/** Printed tickets of a performance, their barcodes, and phones that have downloaded them. */
export async function openEvening(fixture: Fixture, count: number, members = {}) {
  const sold = await issueAndPrint(fixture, addMembers(createConfirmedOrder(count), members));
  const tickets = await Promise.all(sold.order.tickets.map(({ ticketId }) => fixture.ticket(ticketId)));
  const open = async (gate: string, options = {}) => {
    const phone = await openPhone(fixture, options);
    await phone.evening.choose(createTonight(sold.performanceId), gate);
    await phone.evening.synchronise();
    return phone;
  };
  return { ...sold, tickets, open, texts: tickets.map(({ barcode }) => barcode) };
}
