import { EventEmitter } from 'node:events';
import { afterAll, describe, expect, test } from '@jest/globals';
import type { Exchange } from '../../src/exchange/exchange.ts';
import { createGiveWay } from '../../src/limits/give-way.ts';
import { createLowPriority } from '../../src/limits/low-priority.ts';
import { createRefusals } from '../../src/limits/refusals.ts';
import { startInstallation } from '../fixtures/installation.ts';

type Known = Partial<Pick<Exchange, 'claims' | 'apiKey' | 'route' | 'family'>>;

/** An exchange that was answered with this status, as far as it is read. */
const answeredWith = (statusCode: number, now = 0, known: Known = {}): Exchange =>
  ({
    now,
    address: '127.0.0.1',
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
    for (const exchange of exchanges) refusals.record(exchange);
    return refusals.ofAddress('127.0.0.1', now);
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

  test.each<[string, number, boolean]>([
    ['malformed', 400, true],
    ['of records that do not exist', 404, true],
    ['of the state of an order', 412, false],
    ['by a limit', 429, false],
  ])('is told of a client as well: refusals %s', (_, status, expected) => {
    const refusals = createRefusals();
    const one = answeredWith(status, 0, { claims, route });
    for (const exchange of times(20, one)) refusals.record(exchange);
    expect(refusals.ofClient('c', 0)).toBe(expected);
    for (const exchange of times(20, answeredWith(200, 0, { claims, route }))) refusals.record(exchange);
    expect([refusals.ofClient('c', 0), refusals.ofAddress('127.0.0.1', 0)]).toEqual([false, false]);
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
  const SOME_TIME = 1_000;

  /** A queue that has seen an ordinary request, and a busy event loop, at SOME_TIME. */
  const start = () => {
    let part = 1;
    const queue = createLowPriority({ utilization: () => part });
    const ended: string[] = [];
    const enter = (network: string, name: string, now = SOME_TIME, hasLeft = () => false) =>
      queue
        .enter(network, now, hasLeft)
        ?.then((noTurn) => ended.push(noTurn === undefined ? name : `${name} ${noTurn}`));
    const tick = async (now: number) => {
      queue.tick(now);
      await Promise.resolve();
      await Promise.resolve();
      return ended.splice(0);
    };
    const be = (utilization: number) => {
      part = utilization;
    };
    queue.ordinary(SOME_TIME);
    for (const now of [SOME_TIME - 10, SOME_TIME]) queue.tick(now);
    return { queue, enter, tick, be };
  };

  test('do not wait while the event loop has time, nor without others', () => {
    const { queue, enter, be } = start();
    expect(enter('a', 'busy')).toBeDefined();
    expect(createLowPriority({ utilization: () => 1 }).enter('a', SOME_TIME, () => false)).toBeUndefined();
    expect(enter('a', 'without others', SOME_TIME + 10_001)).toBeUndefined();
    const other = start();
    other.be(0.4);
    expect(other.enter('a', 'has time', SOME_TIME + 10)).toBeUndefined();
    be(0.4);
    // Behind the one that waits.
    expect(enter('a', 'second', SOME_TIME + 10)).toBeDefined();
    expect(queue.waiting).toBe(2);
  });

  test('wait until the event loop has time, in turns of their addresses', async () => {
    const { queue, enter, tick, be } = start();
    for (const name of ['a1', 'a2', 'a3']) void enter('a', name);
    for (const name of ['b1', 'b2']) void enter('b', name);
    expect([await tick(1_010), await tick(1_020)]).toEqual([['a1'], []]);
    be(0.4);
    expect([await tick(1_030), await tick(1_040), await tick(1_050)]).toEqual([['b1', 'a2'], ['b2', 'a3'], []]);
    expect(queue.waiting).toBe(0);
  });

  test('get a turn now and then in a busy event loop, and more of them when the others are gone', async () => {
    const { enter, tick } = start();
    for (let index = 0; index < 25; index += 1) void enter('a', 'a');
    expect([await tick(1_010), await tick(1_020)]).toEqual([['a'], []]);
    for (let now = 1_030; now < 1_260; now += 10) expect(await tick(now)).toEqual([]);
    expect(await tick(1_260)).toEqual(['a']);
    const later = start();
    for (const now of [7_990, 8_000]) later.queue.tick(now);
    for (let index = 0; index < 25; index += 1) void later.enter('a', 'a', 8_000);
    expect(await later.tick(11_010)).toHaveLength(20);
    expect(await later.tick(11_020)).toHaveLength(5);
  });

  test('whose clients have left take no turn', async () => {
    const { enter, tick } = start();
    void enter('a', 'gone', SOME_TIME, () => true);
    void enter('a', 'here');
    expect(await tick(1_010)).toEqual(['gone client_left', 'here']);
  });

  test('wait five seconds at most, a thousand of them, and fifty of one address', async () => {
    const { queue, enter, tick } = start();
    for (let index = 0; index < 51; index += 1) void enter('a', 'of one address');
    for (let index = 0; index < 951; index += 1) void enter(`${index}`, 'of many');
    expect(await tick(SOME_TIME)).toEqual(['of one address queue_full', 'of many queue_full', 'of one address']);
    queue.ordinary(5_000);
    const ended = await tick(6_000);
    expect([ended.length, new Set(ended.map((one) => one.split(' ').at(-1)))]).toEqual([999, new Set(['waited_long'])]);
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

describe('beside others, in a busy gateway', () => {
  const HOSTILE = '203.0.113.7';
  let left = false;
  let clock = 10_000;
  const outcomes: string[] = [];
  const noted: Exchange[] = [];
  const giveWay = createGiveWay({
    knownClientOf: ({ token }) => token || undefined,
    noteCaller: async (exchange) => {
      noted.push(exchange);
    },
    onTurn: (outcome) => outcomes.push(outcome),
    utilization: () => 1,
    now: () => clock,
  });
  afterAll(() => giveWay.close());

  const beginning = (address: string, token = '') => {
    const response = {
      get destroyed() {
        return left;
      },
    };
    return {
      address,
      token,
      now: Date.now(),
      startedAt: clock,
      request: { socket: {} },
      response,
    } as unknown as Exchange;
  };
  const send = (address: string, token?: string) => giveWay.step(beginning(address, token));

  test('requests of its address wait, known clients with good requests do not, and the surplus is refused and counted', async () => {
    for (let count = 0; count < 30; count += 1) {
      giveWay.record({ ...answeredWith(401, Date.now()), address: HOSTILE });
      giveWay.record({
        ...answeredWith(400, Date.now(), { claims: { client_id: 'bad' } as Exchange['claims'], route }),
      });
    }
    expect(send('203.0.113.8')).toBeUndefined();
    expect(send(HOSTILE)).toBeUndefined();
    clock += 10;
    const waiting: unknown[] = [send(HOSTILE)];
    expect(send(HOSTILE, 'good')).toBeUndefined();
    waiting.push(send(HOSTILE, 'bad'));
    for (const turn of waiting) expect(turn).toBeInstanceOf(Promise);
    const rest = Array.from({ length: 60 }, () => send(HOSTILE));
    const refused = (await Promise.allSettled(rest.slice(-10))).map((one) => one.status === 'rejected' && one.reason);
    for (const fault of refused) {
      expect(fault).toMatchObject({ code: 'too_many_requests', headers: { 'Retry-After': '5' } });
    }
    expect(noted.length).toBeGreaterThanOrEqual(10);
    left = true;
    await Promise.allSettled([...waiting, ...rest]);
    expect(outcomes).toContain('queue_full');
    expect(outcomes).toContain('client_left');
  });
});
