import { describe, expect, test } from '@jest/globals';
import { createBreaker } from '../../src/connections/breaker.ts';
import { type Attempt, createAddresses, toNetwork } from '../../src/index.ts';

/** The addresses of a name that resolves to `found`, with a clock. */
const open = (found: string[]) => {
  const clock = { at: 1_000_000 };
  const changes: string[] = [];
  const addresses = createAddresses({
    url: 'http://orders.test:8083',
    resolve: async () => found,
    onChange: (address, state) => changes.push(`${address} ${state}`),
    now: () => clock.at,
  });
  const choose = async (...tried: string[]): Promise<Attempt> => {
    const attempt = await addresses.choose(tried.length > 0 ? new Set(tried) : undefined);
    if (!attempt) throw new Error('no address');
    return attempt;
  };
  const chosen = async (times: number): Promise<string[]> => {
    const attempts: Attempt[] = [];
    for (let count = 0; count < times; count += 1) attempts.push(await choose());
    for (const attempt of attempts) attempt.end();
    return attempts.map(({ address }) => address).toSorted();
  };
  /** Ends requests at the address with this outcome. */
  const settle = async (address: string, outcome: 'succeeded' | 'failed', times: number) => {
    const others = found.filter((other) => other !== address);
    for (let count = 0; count < times; count += 1) {
      const attempt = await choose(...others, 'none');
      attempt.settle(outcome);
      attempt.end();
    }
  };
  const warm = (address: string) => settle(address, 'succeeded', 8);
  /** A new resolution: its result counts from the request after the next. */
  const resolveAgain = async () => {
    clock.at += 1_001;
    (await choose()).end();
    await new Promise(setImmediate);
  };
  return { addresses, clock, found, changes, choose, chosen, settle, warm, resolveAgain };
};

describe('the least busy address', () => {
  test('gets the next request; equally busy ones get all their turn', async () => {
    const { choose, chosen } = open(['a', 'b', 'c']);
    expect(await chosen(6)).toEqual(['a', 'a', 'b', 'b', 'c', 'c']);
    const [first, second, third] = [await choose(), await choose(), await choose()];
    second.end();
    const next = await choose();
    expect(next.address).toBe(second.address);
    for (const attempt of [first, third, next]) attempt.end();
    const seen = new Set<string>();
    for (let count = 0; count < 100; count += 1) {
      const attempt = await choose();
      seen.add(attempt.address);
      attempt.end();
    }
    expect(seen.size).toBe(3);
  });

  test('is of an instance that stays: one that announced its end gets none, unless all leave', async () => {
    const { choose, chosen, clock } = open(['a', 'b']);
    const attempt = await choose();
    attempt.leaves();
    attempt.end();
    const other = attempt.address === 'a' ? 'b' : 'a';
    expect(await chosen(3)).toEqual([other, other, other]);
    const last = await choose();
    last.leaves();
    last.end();
    expect(await chosen(2)).toEqual(['a', 'b']);
    clock.at += 15_000;
    expect(await chosen(2)).toEqual(['a', 'b']);
  });

  test('has an origin, of an IPv6 address too', async () => {
    const { choose } = open(['::1']);
    expect((await choose()).endpoint.origin).toBe('http://[::1]:8083');
    const fixed = createAddresses({ url: 'https://[::1]' });
    expect([fixed.host, (await fixed.choose())?.endpoint.origin]).toEqual(['[::1]', 'https://[::1]']);
  });
});

describe('a new instance starts slowly', () => {
  test('beside warm ones it gets one request, and one more for each answer, until it has answered eight', async () => {
    const { found, chosen, settle, warm, resolveAgain } = open(['a']);
    await warm('a');
    found.push('b');
    await resolveAgain();
    expect(await chosen(6)).toEqual(['a', 'a', 'a', 'a', 'a', 'b']);
    await settle('b', 'succeeded', 2);
    expect(await chosen(12)).toEqual([...Array(9).fill('a'), 'b', 'b', 'b']);
    await settle('b', 'succeeded', 6);
    expect(await chosen(12)).toEqual([...Array(6).fill('a'), ...Array(6).fill('b')]);
  });

  test('without warm ones all are used; one that failed is new again', async () => {
    const { chosen, settle, warm } = open(['a', 'b']);
    expect(await chosen(8)).toEqual([...Array(4).fill('a'), ...Array(4).fill('b')]);
    await warm('a');
    await warm('b');
    await settle('b', 'failed', 1);
    expect(await chosen(6)).toEqual(['a', 'a', 'a', 'a', 'a', 'b']);
  });
});

describe('a failing address', () => {
  test('gets no request after five failures in a row, then one at a time every two seconds', async () => {
    const { addresses, clock, changes, choose, chosen, settle } = open(['a', 'b']);
    await choose().then((attempt) => attempt.end());
    await settle('a', 'failed', 5);
    expect(await chosen(3)).toEqual(['b', 'b', 'b']);
    expect([addresses.refuses(), addresses.state, addresses.open]).toEqual([false, 'closed', 1]);
    clock.at += 2_000;
    const probe = await choose();
    expect([probe.address, await chosen(2)]).toEqual(['a', ['b', 'b']]);
    probe.settle('succeeded');
    probe.end();
    expect([addresses.open, changes]).toEqual([0, ['a open', 'a closed']]);
  });

  test('only when all fail the service is refused, until one is due for a probe', async () => {
    const { addresses, clock, choose, settle } = open(['a', 'b']);
    await choose().then((attempt) => attempt.end());
    await settle('a', 'failed', 5);
    await settle('b', 'failed', 5);
    expect([addresses.refuses(), addresses.state, addresses.open]).toEqual([true, 'open', 2]);
    expect(addresses.retryAfterSeconds()).toBe(2);
    clock.at += 2_000;
    expect(addresses.refuses()).toBe(false);
  });

  test('a new address is resolved while all fail', async () => {
    const { addresses, clock, found, choose, chosen, settle } = open(['a']);
    await choose().then((attempt) => attempt.end());
    await settle('a', 'failed', 5);
    found.splice(0, 1, 'b');
    clock.at += 1_001;
    expect(addresses.refuses()).toBe(true);
    await new Promise(setImmediate);
    expect([addresses.refuses(), await chosen(1)]).toEqual([false, ['b']]);
  });

  test('each address is tried once; the last known ones are used while the name does not resolve', async () => {
    let fails = false;
    const clock = { at: 0 };
    const addresses = createAddresses({
      url: 'http://orders.test',
      resolve: async () => {
        if (fails) throw new Error('no such name');
        return ['a'];
      },
      now: () => clock.at,
    });
    (await addresses.choose())?.end();
    expect(await addresses.choose(new Set(['a']))).toBeUndefined();
    fails = true;
    clock.at = 3_600_000;
    expect((await addresses.choose())?.address).toBe('a');
    const unknown = createAddresses({ url: 'http://orders.test', resolve: () => Promise.reject(new Error('none')) });
    await expect(unknown.choose()).rejects.toThrow('none');
  });
});

describe('a breaker', () => {
  const fail = (breaker: ReturnType<typeof createBreaker>, at: number) => {
    breaker.enter(at);
    breaker.failed(at);
  };

  test('opens after consecutive failures, admits one probe, and closes at its success', () => {
    const breaker = createBreaker({ failures: 2, openMs: 100 });
    fail(breaker, 0);
    breaker.enter(0);
    breaker.succeeded();
    fail(breaker, 0);
    fail(breaker, 0);
    expect([breaker.state, breaker.enter(99), breaker.retryAfterSeconds(99)]).toEqual(['open', false, 1]);
    expect([breaker.enter(100), breaker.state, breaker.enter(100)]).toEqual([true, 'half-open', false]);
    breaker.failed(100);
    expect([breaker.enter(199), breaker.enter(200)]).toEqual([false, true]);
    breaker.succeeded();
    expect([breaker.state, breaker.enter(200), breaker.enter(200)]).toEqual(['closed', true, true]);
  });

  test('a probe whose client disconnects has no outcome: the next request probes', () => {
    const breaker = createBreaker({ failures: 1, openMs: 100 });
    fail(breaker, 0);
    expect(breaker.enter(100)).toBe(true);
    breaker.abandoned();
    expect(breaker.enter(100)).toBe(true);
  });

  test('a slow probe blocks requests for no longer than an open breaker does', () => {
    const breaker = createBreaker({ failures: 1, openMs: 100 });
    fail(breaker, 0);
    expect([breaker.enter(100), breaker.enter(199), breaker.enter(200)]).toEqual([true, false, true]);
    breaker.succeeded();
    // The first probe's client stops sending, which is no outcome for the service.
    breaker.abandoned();
    expect([breaker.state, breaker.enter(201)]).toEqual(['closed', true]);
  });
});

test.each([
  ['10.1.2.3', '10.1.2.3'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:DB8:1::', '2001:db8:1:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::ffff:10.1.2.3', '10.1.2.3'],
  ['::ffff:0a01:0203', '10.1.2.3'],
  ['unknown', 'unknown'],
  ['no:address', 'no:address'],
])('%s counts as %s', (address, network) => {
  expect(toNetwork(address)).toBe(network);
});
