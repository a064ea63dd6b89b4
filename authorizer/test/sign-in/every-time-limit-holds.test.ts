import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sessionsOf } from '../../src/store.ts';
import { engines, type Installation, startInstallation, until } from '../installation.ts';
import { type Browser, formOf, PASSWORD, type People, type Person, peopleOf, proof } from './browser.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Far from the machine's clock, so that nothing that reads that one passes. */
const BEGIN = Date.UTC(2040, 1, 3, 10);

describe.each(engines)('on $name', (engine) => {
  let at = BEGIN;
  let installation: Installation;
  let people: People;
  let client: string;
  let ada: Person;

  beforeAll(async () => {
    installation = await startInstallation({ engine, now: () => at });
    people = peopleOf(installation, () => at);
    client = await people.webClient();
    ada = await people.person();
    at += SECOND;
  });
  afterAll(() => installation.close());

  const pass = (ms: number): void => {
    at += ms;
  };
  const codeOf = async (scope?: string) => {
    const { verifier, challenge } = proof();
    const { sent } = await people.signIn(people.browser(), client, ada, { code_challenge: challenge, scope });
    return { code: sent.get('code'), verifier };
  };
  const invalid = { status: 400, body: { error: 'invalid_grant' } };

  describe('a code lives 60 seconds', () => {
    test.each([
      [60 * SECOND - 1, 200],
      [60 * SECOND, 400],
    ])('after %d ms: %d', async (ms, status) => {
      const { code, verifier } = await codeOf();
      pass(ms);
      expect((await people.exchange(client, code, verifier)).status).toBe(status);
    });
  });

  test('a form lives ten minutes', async () => {
    for (const [ms, status] of [
      [10 * MINUTE - 1, 303],
      [10 * MINUTE, 400],
    ] as const) {
      const browser = people.browser();
      const form = formOf(await browser.visit(people.requestOf(client)));
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
      (await browser.visit(people.requestOf(client, { prompt: 'none', ...more }))).sent.has('code');
    const signedIn = async (): Promise<Browser> => {
      const browser = people.browser();
      await people.signIn(browser, client, ada);
      return browser;
    };
    /** The last use is written beside the answer. */
    const isSeen = async (browser: Browser) => {
      expect(await isSignedIn(browser)).toBe(true);
      await until(async () => {
        const open = await sessionsOf(installation.store).acrossInstitutions.find({ where: { lastSeenAt: at } });
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

  test('an invitation lives seven days', async () => {
    const invite = async () =>
      (await people.users.invite('opera', ada.userId)).invitation.url.slice(installation.issuer.length);
    const path = await invite();
    pass(7 * DAY - 1);
    expect((await people.browser().visit(path)).status).toBe(200);
    pass(1);
    expect((await people.browser().visit(path)).status).toBe(404);
  });
});
