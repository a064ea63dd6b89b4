import { EventEmitter } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import type { Exchange } from '../../src/exchange/exchange.ts';
import { createLowPriority } from '../../src/limits/low-priority.ts';
import { createRefusals } from '../../src/limits/refusals.ts';
import { startInstallation } from '../fixtures/installation.ts';

type Known = Partial<Pick<Exchange, 'claims' | 'apiKey' | 'route' | 'family'>>;

/** An exchange that was answered with this status, as far as it is read. */
const answeredWith = (statusCode: number, now = 0, known: Known = {}): Exchange =>
  ({
    now,
    family: 'A',
    response: Object.assign(new EventEmitter(), {
      statusCode,
      headersSent: true,
      writableEnded: true,
      writableFinished: true,
    }),
    ...known,
  }) as unknown as Exchange;

const route = { operation: 'getOrder' } as Exchange['route'];
const claims = { client_id: 'c' } as Exchange['claims'];

describe('an address most of whose requests are refused', () => {
  const most = (exchanges: readonly Exchange[], now = 0): boolean => {
    const refusals = createRefusals();
    for (const exchange of exchanges) refusals.record('127.0.0.1', exchange);
    return refusals.areMost('127.0.0.1', now);
  };
  const times = (count: number, exchange: Exchange) => Array.from({ length: count }, () => exchange);

  test.each<[string, Exchange]>([
    ['a wrong token, secret or password', answeredWith(401)],
    ['an unknown path', answeredWith(404)],
    ['a malformed request of family A', answeredWith(400)],
    ['a body that is too large', answeredWith(413, 0, { family: 'B', route })],
  ])('is known after twenty, each with %s', (_, exchange) => {
    expect(most(times(19, exchange))).toBe(false);
    expect(most(times(20, exchange))).toBe(true);
    expect(most([...times(20, exchange), ...times(20, answeredWith(200))])).toBe(false);
  });

  test.each<[string, Exchange]>([
    ['of a known client', answeredWith(400, 0, { claims, route })],
    ['of a known key', answeredWith(401, 0, { apiKey: {} as Exchange['apiKey'] })],
    ['of a record that does not exist', answeredWith(404, 0, { route })],
    ['of a point of sale, such as places that are gone', answeredWith(400, 0, { family: 'B', route })],
    ['by a limit', answeredWith(429)],
    ['by a failure', answeredWith(503)],
  ])('is not one with refusals %s', (_, exchange) => {
    expect(most(times(100, exchange))).toBe(false);
  });

  test('limits and failures do not improve it, and time does', () => {
    const exchanges = [
      ...times(40, answeredWith(401)),
      ...times(100, answeredWith(429)),
      ...times(9, answeredWith(200)),
    ];
    expect(most(exchanges)).toBe(true);
    expect(most(exchanges, 29_000)).toBe(true);
    expect(most(exchanges, 31_000)).toBe(false);
  });
});

describe('requests of low priority', () => {
  const start = () => {
    let busy = 1;
    const queue = createLowPriority({ utilization: () => busy });
    const ended: string[] = [];
    const enter = (network: string, name: string, now: number, hasLeft = () => false) =>
      queue
        .enter(network, now, hasLeft)
        ?.then((noTurn) => ended.push(noTurn === undefined ? name : `${name} ${noTurn}`));
    const tick = async (now: number) => {
      queue.tick(now);
      await Promise.resolve();
      await Promise.resolve();
      return ended.splice(0);
    };
    return { queue, enter, tick, be: (utilization: number) => (busy = utilization) };
  };

  test('do not wait while there are no others', () => {
    const { queue, enter } = start();
    expect(enter('a', 'first', 0)).toBeUndefined();
    queue.ordinary(0);
    expect(enter('a', 'second', 1_000)).toBeDefined();
    expect(enter('a', 'third', 1_001)).toBeUndefined();
  });

  test('wait until the event loop has time, in turns of their addresses', async () => {
    const { queue, enter, tick, be } = start();
    queue.ordinary(0);
    for (const name of ['a1', 'a2', 'a3']) void enter('a', name, 0);
    for (const name of ['b1', 'b2']) void enter('b', name, 0);
    expect(await tick(10)).toEqual([]);
    be(0.4);
    expect(await tick(20)).toEqual(['a1', 'b1']);
    expect(await tick(30)).toEqual(['a2', 'b2']);
    expect(await tick(40)).toEqual(['a3']);
    expect(queue.waiting).toBe(0);
  });

  test('get a turn now and then in a busy event loop, and all of them when the others are gone', async () => {
    const { queue, enter, tick } = start();
    queue.ordinary(1_000);
    for (const name of ['a1', 'a2', 'a3', 'a4']) void enter('a', name, 1_000);
    expect([await tick(1_010), await tick(1_020)]).toEqual([['a1'], []]);
    expect([await tick(1_200), await tick(1_260)]).toEqual([[], ['a2']]);
    expect(await tick(2_010)).toEqual(['a3', 'a4']);
  });

  test('whose clients have left take no turn', async () => {
    const { queue, enter, tick } = start();
    queue.ordinary(1_000);
    void enter('a', 'gone', 1_000, () => true);
    void enter('a', 'here', 1_000);
    expect(await tick(1_010)).toEqual(['gone', 'here']);
  });

  test('wait five seconds at most, and a thousand of them', async () => {
    const { queue, enter, tick } = start();
    queue.ordinary(0);
    for (let index = 0; index < 1_000; index += 1) void enter(`${index}`, 'early', 0);
    queue.ordinary(4_500);
    const late = enter('late', 'late', 4_600);
    await late;
    expect(await tick(4_700)).toEqual(['late queue_full', 'early']);
    queue.ordinary(5_000);
    expect(await tick(5_000)).toEqual([...Array(1).fill('early'), ...Array(998).fill('early waited_long')]);
    expect(queue.waiting).toBe(0);
  });
});

test('an address that only sends wrong tokens is answered 401, not made to wait, while it is alone', async () => {
  const its = await startInstallation({ timeouts: { answer: 5_000, total: 10_000 } });
  const wrong = its.as('wrong');
  for (let turn = 0; turn < 5; turn += 1) {
    const replies = await Promise.all(Array.from({ length: 20 }, () => wrong('/svc/v3/contacts/individuals')));
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 401));
  }
  await its.close();
});
