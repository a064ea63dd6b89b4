import { isPassword } from '@boxoffice/logins';
import { startSweeper } from '@boxoffice/service';
import type { Collection, CollectionHandle, Document, Store } from '@boxoffice/store';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { retention } from '../src/app.ts';
import { REFRESH_IDLE_MS } from '../src/domain/grant.ts';
import { SESSION_ABSOLUTE_MS } from '../src/domain/user.ts';
import { collections, sessionsCollection } from '../src/store.ts';
import { createAccounts } from '../src/users/accounts.ts';
import { createUsers } from '../src/users/users.ts';
import {
  type Browser,
  createCodeVerifier,
  createPeopleForSuite,
  openBrowser,
  PASSWORD,
  type Person,
  readFormToken,
} from './browser.ts';
import { engines, type Json, startInstallationForSuite, waitUntil } from './installation.ts';

describe.each(engines)('any instance goes on with a sign in, on $name', (engine) => {
  const SESSION = '__Host-boxoffice-session';

  const installation = startInstallationForSuite({ engine, instances: 3, isBalanced: true });
  const people = createPeopleForSuite(installation);

  /** The instances, called by one browser. */
  const browsers = (): Browser[] => {
    const { cookies } = people.browser();
    const { origin } = new URL(installation.issuer);
    return installation.services.map(({ url }) => openBrowser(url, origin, cookies));
  };

  test('a form that is sent to all instances at once has success once', async () => {
    const ada = await people.person();
    const all = browsers();
    const [first = people.browser()] = all;
    const page = await first.visit(people.requestOf(await people.webClient()));
    const fields = { form: readFormToken(page), login: ada.login, password: PASSWORD };
    const answers = await Promise.all(all.map((browser) => browser.post('/auth/authorize', fields)));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 409, 409]);
  });

  test('ten wrong passwords of one address count over all instances, and refuse the right one, too', async () => {
    const client = await people.webClient();
    const { login } = await people.person();
    for (let count = 0; count < 10; count += 1)
      expect((await people.signIn(people.browser(), client, { login }, {}, 'wrong')).status).toBe(403);
    for (const browser of browsers()) {
      const page = await browser.visit(people.requestOf(client));
      const { status } = await browser.post('/auth/authorize', {
        form: readFormToken(page),
        login,
        password: PASSWORD,
      });
      expect(status).toBe(429);
    }
    const browser = people.browser();
    const form = readFormToken(await browser.visit(people.requestOf(client)));
    const send = (address: string) =>
      browser.post('/auth/authorize', { form, login, password: PASSWORD }, { 'x-forwarded-for': address });
    const refused = await send('127.0.0.1');
    expect([refused.status, refused.headers.get('content-type')]).toEqual([429, 'text/html; charset=utf-8']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await send('192.0.2.2')).status).toBe(303);
  });

  test('a restart of every instance ends no session, code, form, consent, refresh chain or invitation', async () => {
    const ada = await people.person();
    const client = await people.webClient({ thirdParty: true });
    const scope = 'catalog:read offline_access';
    const browser = people.browser();
    const question = await people.signIn(browser, client, ada, { scope });
    const { verifier, challenge } = createCodeVerifier();
    await browser.post('/auth/authorize', { form: readFormToken(question), decision: 'allow' });
    const code = async () =>
      (await browser.visit(people.requestOf(client, { scope, code_challenge: challenge }))).sent.get('code');
    const [used, kept] = [await code(), await code()];
    const tokens = (await people.exchange(client, used, verifier)).body;
    const waiting = people.browser();
    const page = await waiting.visit(people.requestOf(client, { scope }));
    const invited = await people.invited({ role: 'door' });

    await installation.restart();

    expect(await people.isValid(tokens.access_token)).toBe(true);
    const refreshed = await people.refresh(client, tokens.refresh_token);
    expect(refreshed.status).toBe(200);
    expect((await people.exchange(client, kept, verifier)).status).toBe(200);
    expect((await people.silent(browser, client, { scope })).has('code')).toBe(true);
    const fields = { form: readFormToken(page), login: ada.login, password: PASSWORD };
    expect((await waiting.post('/auth/authorize', fields)).status).toBe(303);
    const path = invited.invitation.url.slice(installation.issuer.length);
    expect((await people.browser().visit(path)).status).toBe(200);

    await installation.restart();

    // What was used stays used.
    expect((await waiting.post('/auth/authorize', fields)).status).toBe(409);
    expect((await people.exchange(client, used, verifier)).body.error).toBe('invalid_grant');
    expect(await people.isValid(tokens.access_token)).toBe(false);
    expect((await people.refresh(client, refreshed.body.refresh_token)).body.error).toBe('invalid_grant');
  });

  /** Every document of every collection. */
  const stored = async (): Promise<Record<string, Json[]>> => {
    const all: Record<string, Json[]> = {};
    for (const collection of collections as readonly Collection<Document>[])
      all[collection.name] = (await installation.store
        .collection(collection)
        .acrossInstitutions.find()) as unknown as Json[];
    return all;
  };

  test('nothing that opens anything is stored as it is, and all of it is swept when its time is over', async () => {
    const ada = await people.person();
    const client = await people.webClient();
    const browser = people.browser();
    const page = await browser.visit(people.requestOf(client));
    const scope = 'catalog:read offline_access';
    const { code, verifier } = await people.code(client, ada, { scope }, browser);
    const { body } = await people.exchange(client, code, verifier);
    const { body: next } = await people.refresh(client, body.refresh_token);
    const { invitation } = await people.users.invite('opera', ada.userId);
    await people.signIn(people.browser(), client, ada, {}, 'wrong');
    const secrets = [
      code,
      verifier,
      body.refresh_token,
      next.refresh_token,
      // The secret part of a refresh token, without the id of its grant.
      ...[body.refresh_token, next.refresh_token].map((token) => String(token).slice(43, 86)),
      body.access_token,
      ...browser.cookies.values(),
      readFormToken(page),
      new URL(invitation.url).searchParams.get('token'),
      PASSWORD,
    ].map(String);
    const all = await stored();
    const text = JSON.stringify(all);
    for (const secret of secrets) expect(text).not.toContain(secret);
    expect(browser.cookies.has(SESSION)).toBe(true);

    const ending = ['grants', 'sessions', 'sent_forms', 'invitations', 'login_attempts'];
    for (const name of ending) expect([name, all[name]?.length]).not.toEqual([name, 0]);
    const later = Date.now() + Math.max(REFRESH_IDLE_MS, SESSION_ABSOLUTE_MS) + 120_000;
    const sweeper = startSweeper({
      // The instances sweep, too, by the clock, and hold the lease meanwhile.
      store: { ...installation.store, lease: async () => true },
      collections,
      retention,
      logger: { warn: () => undefined },
      now: () => later,
    });
    await sweeper.sweep();
    await sweeper.close();
    const left = await stored();
    for (const name of ending) expect([name, left[name]]).toEqual([name, []]);
  });
});

describe.each(engines)('every time limit holds, on $name', (engine) => {
  const SECOND = 1_000;
  const MINUTE = 60 * SECOND;
  const HOUR = 60 * MINUTE;
  const DAY = 24 * HOUR;

  /** Far from the machine's clock, so that nothing that reads that one passes. */
  const BEGIN = Date.UTC(2040, 1, 3, 10);

  let at = BEGIN;
  const installation = startInstallationForSuite({ engine, now: () => at });
  const people = createPeopleForSuite(installation, () => at);
  let client: string;
  let ada: Person;

  beforeAll(async () => {
    client = await people.webClient();
    ada = await people.person();
    at += SECOND;
  });

  const pass = (ms: number): void => {
    at += ms;
  };
  const codeOf = (scope?: string) => people.code(client, ada, { scope });
  const invalid = { status: 400, body: { error: 'invalid_grant' } };

  test.each([
    [60 * SECOND - 1, 200],
    [60 * SECOND, 400],
  ])('a code lives 60 seconds; after %d ms: %d', async (ms, status) => {
    const { code, verifier } = await codeOf();
    pass(ms);
    expect((await people.exchange(client, code, verifier)).status).toBe(status);
  });

  test('a form lives ten minutes', async () => {
    for (const [ms, status] of [
      [10 * MINUTE - 1, 303],
      [10 * MINUTE, 400],
    ] as const) {
      const browser = people.browser();
      const form = readFormToken(await browser.visit(people.requestOf(client)));
      pass(ms);
      const answer = await browser.post('/auth/authorize', { form, login: ada.login, password: PASSWORD });
      expect([ms, answer.status]).toEqual([ms, status]);
    }
  });

  describe('a refresh token', () => {
    const start = async () => {
      const { code, verifier } = await codeOf('offline_access catalog:read');
      return (await people.exchange(client, code, verifier)).body.refresh_token;
    };

    test('gives the same successor for ten seconds, as long as that is unused', async () => {
      const token = await start();
      const first = await people.refresh(client, token);
      pass(10 * SECOND);
      expect((await people.refresh(client, token)).body.refresh_token).toBe(first.body.refresh_token);
      pass(1);
      expect(await people.refresh(client, token)).toMatchObject(invalid);
      // That was a replay: the chain has ended.
      expect(await people.refresh(client, first.body.refresh_token)).toMatchObject(invalid);
      expect(await people.isValid(first.body.access_token)).toBe(false);
    });

    test('lives 30 days without use', async () => {
      const [kept, late] = [await start(), await start()];
      pass(30 * DAY - 1);
      expect((await people.refresh(client, kept)).status).toBe(200);
      pass(1);
      expect(await people.refresh(client, late)).toMatchObject(invalid);
    });

    test('lives 90 days in any case', async () => {
      let token = await start();
      for (let count = 0; count < 4; count += 1) {
        pass(count < 3 ? 25 * DAY : 15 * DAY - 1);
        const { status, body } = await people.refresh(client, token);
        expect([count, status]).toEqual([count, 200]);
        token = body.refresh_token;
      }
      pass(1);
      expect(await people.refresh(client, token)).toMatchObject(invalid);
    });
  });

  describe('a session', () => {
    const isSignedIn = async (browser: Browser, more: Readonly<Record<string, string>> = {}) =>
      (await people.silent(browser, client, { ...more })).has('code');
    const signedIn = async (): Promise<Browser> => {
      const browser = people.browser();
      await people.signIn(browser, client, ada);
      return browser;
    };
    /** The last use is written beside the answer. */
    const isSeen = async (browser: Browser) => {
      expect(await isSignedIn(browser)).toBe(true);
      await waitUntil(async () => {
        const open = await installation.store
          .collection(sessionsCollection)
          .acrossInstitutions.find({ where: { lastSeenAt: at } });
        return open.length > 0;
      }, 60_000);
    };

    test('lives 30 minutes without use', async () => {
      const browser = await signedIn();
      pass(30 * MINUTE - 1);
      await isSeen(browser);
      pass(30 * MINUTE - 1);
      await isSeen(browser);
      pass(30 * MINUTE);
      expect(await isSignedIn(browser)).toBe(false);
    });

    test('lives twelve hours in any case', async () => {
      const browser = await signedIn();
      for (let count = 0; count < 24; count += 1) {
        pass(30 * MINUTE - 1);
        await isSeen(browser);
      }
      // 24 times one millisecond is left.
      pass(23);
      expect(await isSignedIn(browser)).toBe(true);
      pass(1);
      expect(await isSignedIn(browser)).toBe(false);
    });

    test('is too old for a smaller max_age, and for prompt=login', async () => {
      const browser = await signedIn();
      pass(MINUTE);
      expect(await isSignedIn(browser, { max_age: '60' })).toBe(true);
      pass(1);
      expect(await isSignedIn(browser, { max_age: '60' })).toBe(false);
      expect(await isSignedIn(browser, { max_age: '61' })).toBe(true);
      expect((await browser.visit(people.requestOf(client, { max_age: '60' }))).status).toBe(200);
      expect((await browser.visit(people.requestOf(client, { prompt: 'login' }))).status).toBe(200);
    });
  });
});

describe.each(engines)('logins do the same work, on $name', (engine) => {
  // Elapsed time tells an attacker which logins exist, and depends on the machine. What takes the time is compared
  // instead: the password checks at their cost, and the calls of the store, one by one.

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
      knownScopes: () => [],
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
