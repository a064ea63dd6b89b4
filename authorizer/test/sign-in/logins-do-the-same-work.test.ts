import { isPassword } from '@boxoffice/logins';
import type { CollectionHandle, Document, Store } from '@boxoffice/store';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createAccounts } from '../../src/users/accounts.ts';
import { createUsers } from '../../src/users/users.ts';
import { engines } from '../installation.ts';
import { PASSWORD } from './browser.ts';

// Elapsed time tells an attacker which logins exist, and depends on the machine. What takes the time is compared instead:
// the password checks at their cost, and the calls of the store, one by one.

/** The store with the names of all calls of its collections. */
const recorded = (store: Store, calls: string[]): Store => {
  const recording = <T extends object>(target: T, name: string): T =>
    new Proxy(target, {
      get(of, property) {
        const value: unknown = Reflect.get(of, property);
        if (typeof value !== 'function') return value;
        return (...values: unknown[]): unknown => {
          calls.push(`${name}.${String(property)}`);
          return Reflect.apply(value, of, values);
        };
      },
    });
  return {
    ...store,
    collection: <T extends Document>(collection: Parameters<typeof store.collection<T>>[0]): CollectionHandle<T> => {
      const handle = store.collection(collection);
      return {
        ...handle,
        of: (institution: string) => recording(handle.of(institution), collection.name),
      };
    },
  };
};

/** The parameters of a stored hash: what decides how long a check takes. */
const costOf = (hash: string): string => /^\$argon2id\$v=19\$[^$]+/.exec(hash)?.[0] ?? '';

describe.each(engines)('on $name', (engine) => {
  let opened: Awaited<ReturnType<typeof engine.open>>;
  beforeAll(async () => {
    opened = await engine.open();
  });
  afterAll(() => opened.discard());

  test('an unknown login, a locked or invited user and a wrong password are checked at the same cost', async () => {
    const { store } = opened;
    const users = createUsers(store, { publicUrl: 'https://tickets.example' });
    const make = async (name: string) => {
      const login = `${name}@example.org`;
      const details = { name, role: 'manager', contactNumber: null, pointsOfSale: [] } as const;
      const { user, invitation } = await users.create('opera', { ...details, login });
      return { login, userId: user.id, secret: new URL(invitation.url).searchParams.get('token') ?? '' };
    };
    const [active, locked, invited] = [await make('active'), await make('locked'), await make('invited')];
    for (const { secret } of [active, locked]) await users.accept(secret, PASSWORD);
    await users.amend('opera', locked.userId, { state: 'locked' });

    const calls: string[] = [];
    const checks: string[] = [];
    const accounts = createAccounts(recorded(store, calls), {
      mostPerAddress: 300,
      audit: () => undefined,
      verify: async (password, hash) => {
        checks.push(`${password.length} characters, ${costOf(hash)}`);
        return isPassword(password, hash);
      },
    });
    // In this order, so that the first check of the process, of whomever, is among them.
    const attempts = [
      ['nobody@example.org', PASSWORD],
      [locked.login, PASSWORD],
      [invited.login, PASSWORD],
      [active.login, `${PASSWORD.slice(1)}!`],
      ['nobody-either@example.org', PASSWORD],
    ] as const;
    const work: unknown[] = [];
    for (const [login, password] of attempts) {
      const attempt = { institution: 'opera', login, ip: '192.0.2.1' };
      const { outcome } = await accounts.verify(attempt, password);
      work.push({ outcome, checks: checks.splice(0), calls: calls.splice(0) });
    }
    const [first] = work as [{ calls: readonly string[] }];
    expect(first).toMatchObject({
      outcome: 'wrong',
      checks: [`${PASSWORD.length} characters, $argon2id$v=19$m=19456,t=2,p=1`],
    });
    // The counter of the address is made by its first failure, and changed by later ones.
    const counting = (one: unknown) => JSON.stringify(one).replaceAll(/"login_attempts\.(update|insert)",?/g, '');
    for (const one of work) expect(counting(one)).toBe(counting(first));
    expect(first.calls).toContain('users.find');
  });
});
