import type { ServerResponse } from 'node:http';
import { createClient } from '@boxoffice/client';
import { describe, expect, test } from '@jest/globals';
import {
  createRefusalReply,
  createSuccessReply,
  type Received,
  type Reply,
  startInstallation,
} from './installation.ts';

const eventOf = (sequence: number) => ({ id: `evt_${sequence}`, type: 'order.created', sequence });
const line = (sequence: number) =>
  `id: c${sequence}\nevent: order.created\ndata: ${JSON.stringify(eventOf(sequence))}\n\n`;

/** A stream that sends these pieces; it stays open unless it is told how it ends. */
const stream =
  (pieces: readonly string[], end?: 'end' | 'break'): Reply =>
  (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const piece of pieces) response.write(piece);
    if (end === 'end') response.end();
    if (end === 'break') response.write('id: half\nda', () => response.destroy());
  };

const read = async (
  events: AsyncIterable<{ readonly sequence: number | null }>,
  count: number,
): Promise<(number | null)[]> => {
  const found: (number | null)[] = [];
  for await (const { sequence } of events) {
    found.push(sequence);
    if (found.length === count) break;
  }
  return found;
};

const queries = (received: readonly Received[]) => received.map(({ query }) => query);

describe('a stream of events', () => {
  test('goes on where it broke, where it ended, and where the installation was away, and misses nothing', async () => {
    const replies: Reply[] = [
      stream([line(2), line(3)], 'break'),
      null,
      createRefusalReply(503, 'service_unavailable', { 'retry-after': '0' }),
      createRefusalReply(429, 'too_many_requests', { 'retry-after': '0' }),
      stream([': hello\n\n', line(4)], 'end'),
      stream([line(5)]),
    ];
    const { client, received } = await startInstallation((_, count) => replies[count] ?? null);
    const events = client.events({
      after: 'c1',
      types: ['order.*', 'ticket.controlled'],
      resource: 'ord_1',
    });
    expect(await read(events, 4)).toEqual([2, 3, 4, 5]);
    expect(events.cursor).toBe('c5');
    const filter = { types: 'order.*,ticket.controlled', resource: 'ord_1' };
    expect(queries(received)).toEqual(['c1', 'c3', 'c3', 'c3', 'c3', 'c4'].map((after) => ({ after, ...filter })));
    expect(received.every(({ headers }) => headers.accept === 'text/event-stream')).toBe(true);
  });

  test('shows the cursor of the last event that was read, and moves it over what the filter leaves out', async () => {
    const { client } = await startInstallation(() => stream([line(2) + line(3), 'id: c9\n\n', line(10)]));
    const events = client.events({ after: 'c1' });
    const cursors: unknown[] = [events.cursor];
    for await (const { sequence } of events) {
      cursors.push([sequence, events.cursor]);
      if (sequence === 3) break;
    }
    expect(cursors).toEqual(['c1', [2, 'c2'], [3, 'c3']]);
    const later = client.events({ after: 'c3' });
    for (const _ of [2, 3, 10]) await later.next();
    expect(later.cursor).toBe('c10');
    await later.return();
  });

  test('from now on begins at the end of the feed before it connects, so that a broken connection misses nothing', async () => {
    const { client, received } = await startInstallation(({ headers }, count) => {
      if (headers.accept === 'application/json') return createSuccessReply({ items: [], nextCursor: 'c7' });
      return count === 1 ? null : stream([line(8)]);
    });
    const events = client.events();
    expect(await read(events, 1)).toEqual([8]);
    expect(queries(received)).toEqual([{ limit: '1' }, { after: 'c7' }, { after: 'c7' }]);
  });

  test('renews its token when it has expired', async () => {
    const { baseUrl } = await startInstallation(({ path, headers }, count) => {
      if (path === '/auth/token') return createSuccessReply({ access_token: `t${count}`, expires_in: 900 });
      if (headers.authorization === 'Bearer t1') return stream([line(3)]);
      return count === 0 ? stream([line(2)], 'end') : createRefusalReply(401, 'unauthorized');
    });
    const client = createClient({ baseUrl, clientId: 'c', clientSecret: 's', maxDelayMs: 5 });
    expect(await read(client.events({ after: 'c1' }), 2)).toEqual([2, 3]);
  });

  test.each([
    [410, 'event_cursor_expired'],
    [400, 'invalid_parameter'],
    [403, 'forbidden'],
  ])('ends with a refusal that does not pass: %i %s', async (http, status) => {
    const { client, received } = await startInstallation(() => createRefusalReply(http, status));
    const events = client.events({ after: 'c1' });
    await expect(read(events, 1)).rejects.toMatchObject({ status, httpStatus: http });
    expect(received).toHaveLength(1);
  });

  test('reads lines however they arrive, and characters that are cut in two', async () => {
    const data = JSON.stringify({ ...eventOf(2), note: 'Zürich' });
    const bytes = Buffer.from(`\r\nid:c2\r\nevent: order.created\r\ndata: ${data}\r\n\r\n`);
    const { client } = await startInstallation(() => async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const byte of bytes) await new Promise<void>((sent) => response.write(Buffer.of(byte), () => sent()));
    });
    const events = client.events({ after: 'c1' });
    expect((await events.next()).value).toMatchObject({ sequence: 2, note: 'Zürich' });
    expect(events.cursor).toBe('c2');
    await events.return();
  });
});

describe('the end of a stream', () => {
  const closing = () => {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const reply: Reply = (response) => {
      response.on('close', resolve);
      (stream([line(2)]) as (to: ServerResponse) => void)(response);
    };
    return { closed, reply };
  };

  test('by leaving the loop closes the connection', async () => {
    const { closed, reply } = closing();
    const { client } = await startInstallation(() => reply);
    await read(client.events({ after: 'c1' }), 1);
    await closed;
  });

  test('by a signal closes the connection and throws its reason', async () => {
    const { closed, reply } = closing();
    const { client } = await startInstallation(() => reply);
    const controller = new AbortController();
    const { signal } = controller;
    const events = client.events({ after: 'c1', signal });
    await events.next();
    const waiting = events.next();
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await closed;
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  test('by return, while an event is waited for, ends the loop', async () => {
    const { closed, reply } = closing();
    const { client } = await startInstallation(() => reply);
    const events = client.events({ after: 'c1' });
    await events.next();
    const waiting = events.next();
    await events.return();
    expect(await waiting).toEqual({ done: true, value: undefined });
    await closed;
  });
});
