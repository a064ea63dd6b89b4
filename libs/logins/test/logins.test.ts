import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { toEmailLoginKey, toLoginKey } from '../src/index.ts';
import { createTurnstile, type Surroundings, type TurnstileLimits } from '../src/turnstile.ts';

const SMALL: TurnstileLimits = { inside: 1, waiting: 6, waitingPerAddress: 4, longestWaitMs: 60_000 };

describe('the queue of logins', () => {
  const open = (limits: Partial<TurnstileLimits> = {}, surroundings: Surroundings = {}) => {
    const inTurn = createTurnstile({ ...SMALL, ...limits }, surroundings);
    const order: string[] = [];
    const inside: (() => void)[] = [];
    const enter = (name: string, institution = 'opera', hasLeft?: () => boolean) => {
      const who = { institution, address: name.slice(0, 1), hasLeft };
      return inTurn(who, async () => {
        order.push(name);
        await new Promise<void>((resolve) => inside.push(resolve));
        return name;
      });
    };
    const drain = async () => {
      while (inside.length > 0) {
        inside.shift()?.();
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    return { enter, order, drain, inside };
  };

  test('runs a limited number of tasks at once, and the others in turn', async () => {
    const { enter, inside, order, drain } = open({ inside: 2 });
    const all = ['a1', 'b1', 'a2', 'a3'].map((name) => enter(name));
    expect([inside.length, order]).toEqual([2, ['a1', 'b1']]);
    await drain();
    expect(await Promise.all(all)).toEqual(['a1', 'b1', 'a2', 'a3']);
  });

  test('alternates between the addresses of an institution', async () => {
    const { enter, order, drain } = open();
    const all = ['x1', 'a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => enter(name));
    await drain();
    await Promise.all(all);
    expect(order).toEqual(['x1', 'a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  test('alternates between institutions, regardless of their number of addresses', async () => {
    const { enter, order, drain } = open();
    const all = [enter('x1'), ...['a1', 'b1', 'c1', 'd1'].map((name) => enter(name)), enter('m1', 'museum')];
    await drain();
    await Promise.all(all);
    expect(order).toEqual(['x1', 'a1', 'm1', 'b1', 'c1', 'd1']);
  });

  test('limits the waiting tasks per address', async () => {
    const { enter, drain } = open();
    const all = ['x1', 'a1', 'a2', 'a3', 'a4', 'a5'].map((name) => enter(name));
    expect(await all.at(-1)).toBeUndefined();
    await drain();
    expect(await Promise.all(all)).toEqual(['x1', 'a1', 'a2', 'a3', 'a4', undefined]);
  });

  test('evicts a task of the longest queue when it is full', async () => {
    const { enter, drain } = open();
    const all = ['x1', 'a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map((name) => enter(name));
    const museum = enter('m1', 'museum');
    await drain();
    expect(await Promise.all(all)).toEqual(['x1', 'a1', 'a2', undefined, undefined, 'b1', 'b2', 'c1']);
    expect(await museum).toBe('m1');
  });

  test('continues after a failed task', async () => {
    const inTurn = createTurnstile({ ...SMALL, waiting: 1 });
    const who = { institution: 'opera', address: 'a' };
    const failing = inTurn(who, () => Promise.reject(new Error('no store')));
    const next = inTurn(who, async () => 'in');
    await expect(failing).rejects.toThrow('no store');
    expect(await next).toBe('in');
  });

  test('rejects tasks that waited too long when a turn comes, in every queue, and runs the next one', async () => {
    let now = 0;
    const { enter, order, drain } = open({}, { now: () => now });
    const old = [enter('x1'), enter('a1'), enter('a2'), enter('m1', 'museum')];
    now = SMALL.longestWaitMs - 1;
    const fresh = enter('b1');
    now += 1;
    await drain();
    expect(await Promise.all([...old, fresh])).toEqual(['x1', undefined, undefined, undefined, 'b1']);
    expect(order).toEqual(['x1', 'b1']);
  });

  test('rejects tasks that waited too long while no task ends', async () => {
    const { enter, drain } = open({ longestWaitMs: 5 });
    const [inside, waiting] = [enter('x1'), enter('a1')];
    expect(await waiting).toBeUndefined();
    await drain();
    expect(await inside).toBe('x1');
  });

  test('frees the place of a task that waited too long', async () => {
    let now = 0;
    const { enter, drain } = open({ waitingPerAddress: 1 }, { now: () => now });
    const [inside, old] = [enter('x1'), enter('a1')];
    now = SMALL.longestWaitMs;
    const fresh = enter('a2');
    expect(await old).toBeUndefined();
    await drain();
    expect(await Promise.all([inside, fresh])).toEqual(['x1', 'a2']);
  });

  test('skips tasks whose client has disconnected', async () => {
    let isGone = false;
    const { enter, order, drain } = open();
    const all = [enter('x1'), enter('a1', 'opera', () => isGone), enter('b1')];
    isGone = true;
    await drain();
    expect(await Promise.all(all)).toEqual(['x1', undefined, 'b1']);
    expect(order).toEqual(['x1', 'b1']);
  });

  test('breaks ties of eviction at random, so that a flood from many addresses does not exclude others', async () => {
    const { enter, drain } = open({}, { random: () => 0 });
    const flood = ['x1', 'a1', 'b1', 'c1', 'd1', 'e1', 'f1'].map((name) => enter(name));
    const newcomer = enter('n1');
    await drain();
    expect(await newcomer).toBe('n1');
    expect(await Promise.all(flood)).toEqual(['x1', undefined, 'b1', 'c1', 'd1', 'e1', 'f1']);
  });
});

test.each([
  ['case beyond ASCII', 'tést@exämple.org', 'TÉST@EXÄMPLE.ORG'],
  ['composed and decomposed accents', 'tést@example.org', 'te\u0301st@example.org'],
  ['a domain in its letters and as DNS has it', 'zoë@bücher.example', 'zoë@xn--bcher-kva.example'],
  ['a final sigma', 'δοκιμης@example.org', 'ΔΟΚΙΜΗΣ@example.org'],
  ['letters of full width', 'ann@example.org', '\uff41nn\uff20example.org'],
])('%s makes no other login', (_what, one, other) => {
  expect(toEmailLoginKey(` ${other} `)).toBe(toEmailLoginKey(one));
});

test.each([
  ['an accent', 'zoë@example.org', 'zoe@example.org'],
  ['a letter of another script', 'a@example.org', '\u0430@example.org'],
  ['an accent in the domain', 'a@bücher.example', 'a@bucher.example'],
])('%s makes another login', (_what, one, other) => {
  expect(toEmailLoginKey(other)).not.toBe(toEmailLoginKey(one));
});

test('an ASCII login has the key that it always had', () => {
  fc.assert(
    fc.property(fc.oneof(fc.emailAddress(), fc.string({ unit: 'binary-ascii' })), (login) => {
      expect(toEmailLoginKey(login)).toBe(toLoginKey(login));
    }),
  );
});
