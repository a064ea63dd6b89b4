import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { engines, type Installation, startInstallation } from '../installation.ts';
import { CALLBACK, formOf, PASSWORD, type People, type Person, peopleOf } from './browser.ts';

describe.each(engines)('on $name', (engine) => {
  let installation: Installation;
  let people: People;
  let client: string;
  let ada: Person;

  const SESSION = '__Host-boxoffice-session';

  beforeAll(async () => {
    installation = await startInstallation({ engine });
    people = peopleOf(installation);
    client = await people.webClient();
    ada = await people.person();
  });
  afterAll(() => installation.close());

  describe('signing in', () => {
    test('leads to the redirect URI with a code, the state and the issuer', async () => {
      const { status, sent, headers } = await people.signIn(people.browser(), client, ada);
      expect(status).toBe(303);
      expect(Object.fromEntries(sent)).toEqual({
        code: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
        state: 'the-state',
        iss: installation.issuer,
      });
      expect(headers.getSetCookie().find((line) => line.startsWith(SESSION))).toMatch(
        /=[A-Za-z0-9_-]{43}; Path=\/; Secure; HttpOnly; SameSite=Lax$/,
      );
    });

    test('is remembered by the browser, until another sign-in is wanted', async () => {
      const browser = people.browser();
      await people.signIn(browser, client, ada);
      expect((await browser.visit(people.requestOf(client))).sent.get('code')).toEqual(expect.any(String));
      expect((await browser.visit(people.requestOf(client, { prompt: 'none' }))).sent.has('code')).toBe(true);
      expect((await browser.visit(people.requestOf(client, { prompt: 'login' }))).status).toBe(200);
      expect((await browser.visit(people.requestOf(client, { max_age: '3600' }))).sent.has('code')).toBe(true);
    });

    test('an unknown login, a locked user and a wrong password have the same answer', async () => {
      const locked = await people.person();
      await people.users.amend('opera', locked.userId, { state: 'locked' });
      const invited = await people.users.create('opera', {
        login: 'invited@example.org',
        name: 'Bo',
        role: 'door',
        contactNumber: null,
        pointsOfSale: [],
      });
      const answers = [
        await people.signIn(people.browser(), client, { login: 'nobody@example.org' }),
        await people.signIn(people.browser(), client, locked),
        await people.signIn(people.browser(), client, { login: invited.user.login }),
        await people.signIn(people.browser(), client, ada, {}, 'wrong'),
      ];
      for (const { status, text, headers } of answers) {
        expect(status).toBe(403);
        expect(headers.getSetCookie().some((line) => line.startsWith(SESSION))).toBe(false);
        const same = (page: string) => page.replace(/(name="form" value|id="login"[^>]* value)="[^"]+"/g, '$1');
        expect(same(text)).toBe(same(answers[0]?.text ?? ''));
      }
    });

    test('is throttled by login and address', async () => {
      const { login } = await people.person();
      for (let count = 0; count < 10; count += 1)
        expect((await people.signIn(people.browser(), client, { login }, {}, 'wrong')).status).toBe(403);
      const refused = await people.signIn(people.browser(), client, { login });
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(refused.headers.get('content-type')).toBe('text/html; charset=utf-8');
    });

    test('a HEAD request grants nothing', async () => {
      const browser = people.browser();
      await people.signIn(browser, client, ada);
      const { status, headers } = await browser.visit(people.requestOf(client), { method: 'HEAD' });
      expect([status, headers.get('location')]).toEqual([200, null]);
    });
  });

  describe('the session', () => {
    test('is new at each sign-in, whatever the browser had before', async () => {
      const browser = people.browser();
      browser.cookies.set(SESSION, 'A'.repeat(43));
      await people.signIn(browser, client, ada);
      const first = browser.cookies.get(SESSION);
      expect(first).not.toBe('A'.repeat(43));
      await people.signIn(browser, client, ada, { prompt: 'login' });
      const second = browser.cookies.get(SESSION);
      expect(second).not.toBe(first);
      // The one before has ended.
      browser.cookies.set(SESSION, first ?? '');
      expect((await browser.visit(people.requestOf(client))).status).toBe(200);
    });

    test('answers nobody but the user of the id_token_hint', async () => {
      const web = await people.webClient();
      const [ada, ben] = [await people.person(), await people.person()];
      const browser = people.browser();
      const own = await people.tokens(web, ada, 'openid', browser);
      const others = await people.tokens(web, ben, 'openid');
      const ask = async (hint: unknown, prompt?: string) =>
        browser.visit(people.requestOf(web, { id_token_hint: String(hint), prompt }));
      expect((await ask(own.id_token, 'none')).sent.get('code')).toMatch(/^.{43}$/);
      for (const hint of [others.id_token, own.access_token, 'nonsense'])
        expect((await ask(hint, 'none')).sent.get('error')).toBe('login_required');
      const page = await ask(others.id_token);
      expect(page.status).toBe(200);
      const form = formOf(page);
      const refused = await browser.post('/auth/authorize', { form, login: ada.login, password: PASSWORD });
      expect([refused.status, refused.sent.get('error'), refused.sent.get('code')]).toEqual([
        303,
        'login_required',
        null,
      ]);
      const again = formOf(await ask(others.id_token));
      const { sent } = await browser.post('/auth/authorize', { form: again, login: ben.login, password: PASSWORD });
      expect(sent.get('code')).toMatch(/^.{43}$/);
    });

    test("of one institution is not used for another's client", async () => {
      const browser = people.browser();
      await people.signIn(browser, client, ada);
      const elsewhere = await people.webClient({ institution: 'museum' });
      expect((await browser.visit(people.requestOf(elsewhere))).status).toBe(200);
      expect((await browser.visit(people.requestOf(elsewhere, { prompt: 'none' }))).sent.get('error')).toBe(
        'login_required',
      );
      // Its login is unknown there.
      expect((await people.signIn(people.browser(), elsewhere, ada)).status).toBe(403);
    });

    test.each([
      [
        'a new password',
        (person: Person) => people.users.setPassword('opera', person.userId, 'seven cranes over the bay'),
      ],
      ['a lock', (person: Person) => people.users.amend('opera', person.userId, { state: 'locked' })],
      ['a deletion', (person: Person) => people.users.remove('opera', person.userId)],
    ])('and the tokens end with %s', async (_name, change) => {
      const person = await people.person();
      const browser = people.browser();
      const tokens = await people.tokens(client, person, 'catalog:read offline_access', browser);
      expect(await people.isValid(tokens.access_token)).toBe(true);
      await change(person);
      expect((await browser.visit(people.requestOf(client, { prompt: 'none' }))).sent.get('error')).toBe(
        'login_required',
      );
      expect(await people.isValid(tokens.access_token)).toBe(false);
      expect((await people.refresh(client, tokens.refresh_token)).body).toMatchObject({ error: 'invalid_grant' });
    });
  });

  describe('a form', () => {
    test('has success once, also if it is sent twice at the same time', async () => {
      const browser = people.browser();
      const form = formOf(await browser.visit(people.requestOf(client)));
      const send = () => browser.post('/auth/authorize', { form, login: ada.login, password: PASSWORD });
      const answers = await Promise.all([send(), send(), send()]);
      expect(answers.map(({ status }) => status).sort()).toEqual([303, 409, 409]);
      const again = await send();
      expect(again.status).toBe(409);
      expect(again.text).toContain('Your sign-in was accepted');
      const link = /class="button" href="([^"]+)"/.exec(again.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
      expect((await browser.visit(link)).sent.get('state')).toBe('the-state');
    });

    test('of another browser, or changed, or from another site, is refused', async () => {
      const [browser, attacker] = [people.browser(), people.browser()];
      const form = formOf(await attacker.visit(people.requestOf(client)));
      const own = formOf(await browser.visit(people.requestOf(client)));
      const fields = { login: ada.login, password: PASSWORD };
      const [payload = ''] = own.split('.');
      const changed = { ...JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')), institution: 'museum' };
      const forged = `${Buffer.from(JSON.stringify(changed)).toString('base64url')}.${own.split('.')[1]}`;
      for (const refused of [
        await browser.post('/auth/authorize', { ...fields, form }),
        await browser.post('/auth/authorize', { ...fields, form: forged }),
        await browser.post('/auth/authorize', { ...fields, form: 'x' }),
        await browser.post('/auth/authorize', { ...fields, form: own }, { origin: 'https://evil.example' }),
        await browser.post('/auth/authorize', { ...fields, form: own }, { origin: 'null' }),
        await browser.post('/auth/authorize', { ...fields, form: own }, { 'sec-fetch-site': 'cross-site' }),
      ]) {
        expect(refused.status).toBe(400);
        expect(refused.headers.getSetCookie()).toEqual([]);
      }
      expect((await browser.post('/auth/authorize', { ...fields, form: own })).status).toBe(303);
    });
  });

  describe('signing out', () => {
    const signedIn = async () => {
      const browser = people.browser();
      const tokens = await people.tokens(client, ada, 'openid catalog:read', browser);
      return { browser, tokens };
    };
    const isSignedIn = async (browser: ReturnType<People['browser']>) =>
      (await browser.visit(people.requestOf(client, { prompt: 'none' }))).sent.has('code');

    test('asks first, and leaves the tokens', async () => {
      const { browser, tokens } = await signedIn();
      const page = await browser.visit(`/auth/logout?client_id=${client}&post_logout_redirect_uri=${CALLBACK}&state=s`);
      expect(page.status).toBe(200);
      expect(await isSignedIn(browser)).toBe(true);
      const { status, headers } = await browser.post('/auth/logout', { form: formOf(page) });
      expect([status, headers.get('location')]).toEqual([303, `${CALLBACK}?state=s`]);
      expect(await isSignedIn(browser)).toBe(false);
      expect(await people.isValid(tokens.access_token)).toBe(true);
    });

    test.each(['get', 'post'])('with the user’s id_token_hint it asks nothing (%s)', async (method) => {
      const { browser, tokens } = await signedIn();
      const fields = { id_token_hint: String(tokens.id_token), post_logout_redirect_uri: CALLBACK };
      const { status, headers } =
        method === 'get'
          ? await browser.visit(`/auth/logout?${new URLSearchParams(fields)}`)
          : await browser.post('/auth/logout', fields, {
              origin: 'https://shop.example.org',
              'sec-fetch-site': 'cross-site',
            });
      expect([status, headers.get('location')]).toEqual([303, CALLBACK]);
      expect(await isSignedIn(browser)).toBe(false);
    });

    test('a form of the client’s site comes without cookie, and ends the session that its ID token names', async () => {
      const { browser, tokens } = await signedIn();
      const fields = { id_token_hint: String(tokens.id_token), post_logout_redirect_uri: CALLBACK };
      expect((await people.browser().post('/auth/logout', fields)).status).toBe(303);
      expect(await isSignedIn(browser)).toBe(false);
    });

    test('another user’s hint, or an access token, is no proof', async () => {
      const { browser, tokens } = await signedIn();
      const other = await people.tokens(client, await people.person(), 'openid');
      for (const hint of [other.id_token, tokens.access_token, 'x']) {
        expect((await browser.visit(`/auth/logout?id_token_hint=${hint}`)).status).toBe(200);
      }
      expect(await isSignedIn(browser)).toBe(true);
    });

    test.each(['https://evil.example/', `${CALLBACK}/x`, '//evil.example', 'javascript:alert(1)'])(
      'never redirects to %s',
      async (uri) => {
        const { browser, tokens } = await signedIn();
        const fields = { id_token_hint: String(tokens.id_token), post_logout_redirect_uri: uri };
        const { status, headers, text } = await browser.visit(`/auth/logout?${new URLSearchParams(fields)}`);
        expect([status, headers.get('location')]).toEqual([200, null]);
        expect(text).not.toContain('evil');
        expect(await isSignedIn(browser)).toBe(false);
      },
    );
  });
});
