import { notExercised, useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import { type Feed, type Stretch, shareReads } from '../../src/feed/read.ts';
import { createEventExample } from '../../src/types/schemas.ts';
import { createFact, type EventPage, engines, openFixture } from '../fixture/service.ts';

const ticket = (institution: string, id: string) =>
  createFact({
    institution,
    type: 'ticket.printed',
    resource: { type: 'ticket', id },
    data: createEventExample('ticket.printed').data,
  });

describe.each(engines)(`a reader misses nothing on $name${notExercised}`, (engine) => {
  const its = useFixture(() => openFixture(engine));

  const read = async (institution: string, query: string, more = {}): Promise<EventPage> => {
    const reply = await its.events(query, { institution, ...more });
    expect(reply.status).toBe(200);
    return reply.data;
  };

  test('pages follow one another from the start, and the last cursor leads to what comes next', async () => {
    for (let index = 0; index < 5; index += 1) await its.take(createFact({ institution: 'pages' }));
    const one = await read('pages', '?after=start&limit=3');
    const two = await read('pages', `?after=${one.nextCursor}&limit=3`);
    const end = await read('pages', `?after=${two.nextCursor}`);
    expect([one, two, end].map(({ items }) => items.map(({ sequence }) => sequence))).toEqual([[1, 2, 3], [4, 5], []]);
    await its.take(createFact({ institution: 'pages' }));
    const later = await read('pages', `?after=${end.nextCursor}`);
    expect(later.items.map(({ sequence }) => sequence)).toEqual([6]);
  });

  test('a cursor of events that a restore has undone is 410, until it is read anew from the start', async () => {
    await its.take(createFact({ institution: 'restored' }));
    const undone = its.context.cursors.write('restored', 9, undefined);
    const reply = await its.events(`?after=${undone}`, { institution: 'restored' });
    expect([reply.status, reply.body.status]).toEqual([410, 'event_cursor_expired']);
    const { items, nextCursor } = await read('restored', '?after=start');
    expect(items).toHaveLength(1);
    expect((await read('restored', `?after=${nextCursor}`)).items).toEqual([]);
  });

  test('without a cursor the reading begins now, and waits for the first event of any instance', async () => {
    await its.take(createFact({ institution: 'now' }));
    const now = await read('now', '');
    expect(now.items).toEqual([]);
    const other = await its.another();
    const waiting = read('now', `?after=${now.nextCursor}&wait=30`);
    await other.take(createFact({ institution: 'now', resource: { type: 'order', id: 'ord_awaited' } }));
    expect((await waiting).items.map(({ resource }) => resource.id)).toEqual(['ord_awaited']);
  });

  test('filters by type, group and resource move the cursor over what they leave out', async () => {
    await its.take(createFact({ institution: 'filter', resource: { type: 'order', id: 'ord_a' } }));
    await its.take(ticket('filter', 'tic_a'));
    await its.take(createFact({ institution: 'filter', resource: { type: 'order', id: 'ord_b' } }));
    const idsOf = ({ items }: EventPage) => items.map(({ resource }) => resource.id);
    const tickets = await read('filter', '?after=start&types=ticket.printed');
    expect(idsOf(tickets)).toEqual(['tic_a']);
    expect((await read('filter', `?after=${tickets.nextCursor}`)).items).toEqual([]);
    expect(idsOf(await read('filter', '?after=start&types=order.*,ticket.issued'))).toEqual(['ord_a', 'ord_b']);
    expect(idsOf(await read('filter', '?after=start&resource=ord_b'))).toEqual(['ord_b']);
  });

  test('a token sees the types whose resource it may read', async () => {
    await its.take(createFact({ institution: 'scopes' }));
    await its.take(ticket('scopes', 'tic_scopes'));
    const { type, data } = createEventExample('payment.recorded');
    await its.take(createFact({ institution: 'scopes', type, resource: { type: 'payment', id: 'pay_scopes' }, data }));
    const typesFor = async (...scopes: string[]) =>
      (await read('scopes', '?after=start', { scopes })).items.map(({ type }) => type);
    expect(await typesFor('orders:read')).toEqual(['order.created']);
    expect(await typesFor('tickets:read')).toEqual(['ticket.printed']);
    expect(await typesFor('orders:read', 'orders.sensitive:read')).toEqual(['order.created', 'payment.recorded']);
  });

  test('a type or group of which a token sees nothing is 403 and names the scopes, also for waits and streams', async () => {
    const asked = { institution: 'hidden', scopes: ['events:read', 'tickets:read'] };
    for (const [query, scope] of [
      ['types=order.*', 'orders:read'],
      ['types=order.created&wait=30', 'orders:read'],
      ['types=ticket.*,payment.recorded', 'orders.sensitive:read'],
      ['types=payment.*', 'orders.sensitive:read'],
    ]) {
      const { status, body } = await its.events(`?${query}`, asked);
      expect([query, status, body.status]).toEqual([query, 403, 'forbidden']);
      expect(body.details).toContain(scope);
    }
    const leaving = new AbortController();
    const headers = { accept: 'text/event-stream' };
    const stream = await its.open('GET', '/svc/v3/events?types=order.*', { ...asked, headers }, leaving.signal);
    expect([stream.status, stream.headers.get('www-authenticate')]).toEqual([
      403,
      'Bearer error="insufficient_scope", scope="orders:read"',
    ]);
    leaving.abort();
    expect((await read('hidden', '?types=ticket.*', { scopes: asked.scopes })).items).toEqual([]);
  });

  test('foreign and forged cursors and unknown types are invalid_parameter', async () => {
    await its.take(createFact({ institution: 'mine' }));
    const { nextCursor } = await read('mine', '');
    const forged = `${nextCursor.slice(0, -1)}${nextCursor.endsWith('A') ? 'B' : 'A'}`;
    const queries = [
      `?after=${forged}`,
      '?after=nothing',
      '?types=order.unheard',
      '?types=orders.*',
      '?types=',
      '?wait=31',
    ];
    for (const query of queries) {
      const { status, body } = await its.events(query, { institution: 'mine' });
      expect([query, status, body.status]).toEqual([query, 400, 'invalid_parameter']);
      // A list of all types would help nobody.
      expect(body.details?.length).toBeLessThan(200);
    }
    const foreign = await its.events(`?after=${nextCursor}`, { institution: 'other' });
    expect([foreign.status, foreign.body.status]).toEqual([400, 'invalid_parameter']);
  });
});

describe.each(engines)(`what was removed on $name${notExercised}`, (engine) => {
  const RETENTION_MS = 60_000;

  test('a cursor after which something was dropped is 410; numbers go on after everything was', async () => {
    let now = Date.parse('2027-01-01T00:00:00.000Z');
    const its = await openFixture(engine, { retentionMs: RETENTION_MS, clock: { now: () => now } });
    const read = (after: string) => its.events(`?after=${after}`);
    try {
      const begin = (await its.events('')).data.nextCursor;
      const resource = { type: 'order', id: 'ord_old' };
      await its.take(createFact({ resource, version: 1 }));
      const { items, nextCursor } = (await read(begin)).data;
      expect(items).toHaveLength(1);
      now += RETENTION_MS + 1;
      const expired = await read(begin);
      expect([expired.status, expired.body.status]).toEqual([410, 'event_cursor_expired']);
      expect((await read(nextCursor)).data.items).toEqual([]);
      expect((await read('start')).data).toEqual({ items: [], nextCursor });
      await its.sweep(now + 2 * RETENTION_MS);
      expect((await read(begin)).status).toBe(410);
      expect((await read('start')).data).toEqual({ items: [], nextCursor });
      // Repeated after its event was removed, and followed by the next one.
      await its.take(createFact({ resource, version: 1 }));
      await its.take(createFact({ resource, version: 4, before: 1, type: 'order.changed' }));
      expect((await read(nextCursor)).data.items.map(({ sequence }) => sequence)).toEqual([2]);
    } finally {
      await its.close();
    }
  });
});

/** A feed that counts its reads; `newest` is what each of them finds at its beginning. */
const counted = () => {
  const reads: string[] = [];
  const state = { newest: 1, fails: false };
  const feed = {
    async read(institution: string, after: number): Promise<Stretch> {
      reads.push(`${institution} after ${after}`);
      if (state.fails) throw new Error('the store is away');
      return { events: [], upTo: state.newest };
    },
  } as unknown as Feed;
  return { feed: shareReads(feed), reads, state };
};

const all = { types: ['order.created'] };

describe('reads of the feed', () => {
  test('equal ones of a turn are one', async () => {
    const { feed, reads } = counted();
    const found = await Promise.all(Array.from({ length: 100 }, () => feed.read('opera', 7, all, 100)));
    expect(reads).toEqual(['opera after 7']);
    expect(new Set(found).size).toBe(1);
  });

  test('others are not', async () => {
    const { feed, reads } = counted();
    await Promise.all([
      feed.read('opera', 7, all, 100),
      feed.read('museum', 7, all, 100),
      feed.read('opera', 8, all, 100),
      feed.read('opera', 7, { types: ['order.created'], resource: 'ord_1' }, 100),
      feed.read('opera', 7, { types: ['order.paid'] }, 100),
      feed.read('opera', 7, {}, 100),
      feed.read('opera', 7, all, 1),
    ]);
    expect(reads).toHaveLength(7);
  });

  test('one that is wanted later finds what was added meanwhile', async () => {
    const { feed, state } = counted();
    const first = feed.read('opera', 0, all, 100);
    await new Promise((resolve) => setImmediate(resolve));
    state.newest = 2;
    const second = feed.read('opera', 0, all, 100);
    expect([(await first).upTo, (await second).upTo]).toEqual([1, 2]);
  });

  test('one that fails fails for all, and the next one is tried', async () => {
    const { feed, state } = counted();
    state.fails = true;
    const failed = await Promise.allSettled([feed.read('opera', 0, all, 1), feed.read('opera', 0, all, 1)]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    state.fails = false;
    expect((await feed.read('opera', 0, all, 1)).upTo).toBe(1);
  });
});
