import { notExercised, useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import { MOST_PER_CLIENT } from '../../src/feed/streams.ts';
import { waitUntil } from '../fixture/receiver.ts';
import { createFact, engines, type Instance, openFixture } from '../fixture/service.ts';

describe.each(engines)(`a stream of events on $name${notExercised}`, (engine) => {
  const its = useFixture(() => openFixture(engine, { commentMs: 100 }));

  /** A stream as a client reads it: the last id, and the events so far. */
  const follow = async (
    institution: string,
    query = '',
    headers: Record<string, string> = {},
    client = 'partner',
    on: Pick<Instance, 'open'> = its,
  ) => {
    const leaving = new AbortController();
    const call = { institution, client, headers: { accept: 'text/event-stream', ...headers } };
    const response = await on.open('GET', `/svc/v3/events${query}`, call, leaving.signal);
    const seen = { id: '', ids: new Set<string>(), types: [] as string[], resources: [] as string[], comments: 0 };
    const read = async () => {
      let rest = '';
      for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        rest += chunk;
        for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
          const lines = rest.slice(0, end).split('\n');
          rest = rest.slice(end + 2);
          const of = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
          seen.id = of('id') ?? seen.id;
          seen.ids.add(seen.id);
          if (lines[0]?.startsWith(':')) seen.comments += 1;
          const data = of('data');
          if (data === undefined) continue;
          seen.types.push(of('event') ?? '');
          seen.resources.push(JSON.parse(data).resource.id);
        }
      }
    };
    const ended = response.ok ? read().catch(() => undefined) : undefined;
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      seen,
      leave: async () => {
        leaving.abort();
        await ended;
      },
    };
  };

  const order = (institution: string, id: string) =>
    its.take(createFact({ institution, resource: { type: 'order', id } }));

  test.each([
    ['application/json, text/event-stream;q=0.5', 'application/json; charset=utf-8'],
    ['text/event-stream;q=0', 'application/json; charset=utf-8'],
    ['application/json;q=0.9, text/event-stream', 'text/event-stream'],
    ['application/json, text/event-stream', 'text/event-stream'],
  ])('%s is answered %s', async (accept, type) => {
    const one = await follow('accepted', '', { accept });
    expect([one.status, one.type]).toEqual([200, type]);
    await one.leave();
  });

  test('sends each event with its cursor, and goes on after Last-Event-ID', async () => {
    const one = await follow('stream');
    expect([one.status, one.type]).toEqual([200, 'text/event-stream']);
    await waitUntil('the first id', () => one.seen.id !== '');
    await order('stream', 'ord_1');
    await order('stream', 'ord_2');
    await waitUntil('both', () => one.seen.resources.length === 2);
    expect(one.seen.types).toEqual(['order.created', 'order.created']);
    await one.leave();
    await order('stream', 'ord_3');
    const two = await follow('stream', '', { 'last-event-id': one.seen.id });
    await waitUntil('the next', () => two.seen.resources.length === 1);
    expect(two.seen.resources).toEqual(['ord_3']);
    await two.leave();
    const all = await follow('stream', '?after=start');
    await waitUntil('all', () => all.seen.resources.length === 3);
    await all.leave();
  });

  test('has comments whose id moves on over events that the filter leaves out', async () => {
    const one = await follow('comments', '?types=ticket.*');
    await waitUntil('comments', () => one.seen.comments > 1);
    const before = one.seen.ids.size;
    await order('comments', 'ord_left_out');
    await waitUntil('another id', () => one.seen.ids.size > before);
    expect(one.seen.resources).toEqual([]);
    await one.leave();
  });

  test('a request that waits counts as a stream while it waits', async () => {
    const open = await Promise.all(Array.from({ length: MOST_PER_CLIENT - 1 }, () => follow('waiting')));
    const json = { accept: 'application/json' };
    const isCounted = (count: number) => its.context.streams.takenBy('waiting', 'partner') === count;
    const waiting = follow('waiting', '?wait=30', json);
    await waitUntil('its count', () => isCounted(MOST_PER_CLIENT));
    expect((await follow('waiting', '?wait=30', json)).status).toBe(429);
    // Without a wait nothing is counted.
    expect((await follow('waiting', '', json)).status).toBe(200);
    await order('waiting', 'ord_awaited');
    expect((await waiting).status).toBe(200);
    await waitUntil('its end', () => isCounted(MOST_PER_CLIENT - 1));
    for (const { leave } of open) await leave();
  });

  test('a client has twenty at once at one instance: another instance admits as many, and so has another client', async () => {
    const other = await its.another();
    const open = (on: Instance) => follow('shared', '', {}, 'partner', on);
    const all = await Promise.all(
      [its, other].flatMap((on) => Array.from({ length: MOST_PER_CLIENT }, () => open(on))),
    );
    expect(all.map(({ status }) => status)).toEqual(all.map(() => 200));
    expect([(await open(its)).status, (await open(other)).status]).toEqual([429, 429]);
    const another = await follow('shared', '', {}, 'another');
    expect(another.status).toBe(200);
    for (const { leave } of [...all, another]) await leave();
    await waitUntil('their ends', () => [its, other].every(({ context }) => context.streams.count === 0));
    const again = await open(its);
    expect(again.status).toBe(200);
    await again.leave();
    await other.stop();
  });

  test('a stream or a wait whose connection breaks gives its place back at once, and so does a HEAD', async () => {
    const isCounted = (count: number): boolean => its.context.streams.takenBy('broken', 'partner') === count;
    const json = { accept: 'application/json' };
    // It waits for as long, and began before: a place that is given back when the wait ends comes later.
    let hasEnded = false;
    const longest = follow('broken', '?wait=30', json, 'another').finally(() => {
      hasEnded = true;
    });
    await waitUntil('its count', () => its.context.streams.takenBy('broken', 'another') === 1);
    for (const [query, headers] of [
      ['', { accept: 'text/event-stream' }],
      ['?wait=30', json],
    ] as const) {
      const leaving = new AbortController();
      const call = { institution: 'broken', headers };
      const open = () => its.open('GET', `/svc/v3/events${query}`, call, leaving.signal).catch(() => {});
      const all = Array.from({ length: MOST_PER_CLIENT }, open);
      await waitUntil('their counts', () => isCounted(MOST_PER_CLIENT));
      leaving.abort();
      await Promise.all(all);
      await waitUntil('their ends', () => isCounted(0));
    }
    expect(hasEnded).toBe(false);
    await its.open('HEAD', '/svc/v3/events', { institution: 'broken', headers: { accept: 'text/event-stream' } });
    await waitUntil('its end', () => isCounted(0));
    expect(its.context.tail.followers).toBe(1);
    await order('broken', 'ord_awaited');
    expect((await longest).status).toBe(200);
  });

  test('a cursor that is not valid is refused before the stream begins', async () => {
    const one = await follow('refused', '', { 'last-event-id': 'nothing' });
    expect(one.status).toBe(400);
  });
});
