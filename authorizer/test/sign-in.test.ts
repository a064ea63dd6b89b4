import { randomUUID } from 'node:crypto';
import type { Message } from '@boxoffice/messaging';
import { notExercised } from '@boxoffice/service/testkit';
import type { Store } from '@boxoffice/store';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { recordInstitution } from '../src/reactions.ts';
import { createInstitutions, type Institutions } from '../src/sign-in/institutions.ts';
import {
  createPeople,
  createPeopleForSuite,
  LOOPBACK,
  PASSWORD,
  type People,
  type Person,
  readFormToken,
} from './browser.ts';
import { CALLBACK, engines, startInstallationForSuite, waitUntil } from './installation.ts';

describe.each(engines)('users sign in and out, on $name', (engine) => {
  const installation = startInstallationForSuite({ engine });
  const people = createPeopleForSuite(installation);
  let client: string;
  let ada: Person;

  const SESSION = '__Host-boxoffice-session';

  beforeAll(async () => {
    client = await people.webClient();
    ada = await people.person();
  });

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
      expect((await people.silent(browser, client)).has('code')).toBe(true);
      expect((await browser.visit(people.requestOf(client, { prompt: 'login' }))).status).toBe(200);
      expect((await browser.visit(people.requestOf(client, { max_age: '3600' }))).sent.has('code')).toBe(true);
    });

    test('an unknown login, a locked user and a wrong password have the same answer', async () => {
      const locked = await people.person();
      await people.users.amend('opera', locked.userId, { state: 'locked' });
      const invited = await people.invited({ role: 'door' });
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

    test('a HEAD request grants nothing', async () => {
      const browser = people.browser();
      await people.signIn(browser, client, ada);
      const { status, headers } = await browser.visit(people.requestOf(client), { method: 'HEAD' });
      expect([status, headers.get('location')]).toEqual([200, null]);
    });
  });

  describe('the session', () => {
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
      const form = readFormToken(page);
      const refused = await browser.post('/auth/authorize', { form, login: ada.login, password: PASSWORD });
      expect([refused.status, refused.sent.get('error'), refused.sent.get('code')]).toEqual([
        303,
        'login_required',
        null,
      ]);
      const again = readFormToken(await ask(others.id_token));
      const { sent } = await browser.post('/auth/authorize', { form: again, login: ben.login, password: PASSWORD });
      expect(sent.get('code')).toMatch(/^.{43}$/);
    });

    test("of one institution is not used for another's client", async () => {
      const browser = people.browser();
      await people.signIn(browser, client, ada);
      const elsewhere = await people.webClient({ institution: 'museum' });
      expect((await browser.visit(people.requestOf(elsewhere))).status).toBe(200);
      expect((await people.silent(browser, elsewhere)).get('error')).toBe('login_required');
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
      expect((await people.silent(browser, client)).get('error')).toBe('login_required');
      expect(await people.isValid(tokens.access_token)).toBe(false);
      expect((await people.refresh(client, tokens.refresh_token)).body).toMatchObject({ error: 'invalid_grant' });
    });
  });

  describe('a form', () => {
    test('has success once; its page leads on', async () => {
      const browser = people.browser();
      const form = readFormToken(await browser.visit(people.requestOf(client)));
      const send = () => browser.post('/auth/authorize', { form, login: ada.login, password: PASSWORD });
      expect((await send()).status).toBe(303);
      const again = await send();
      expect(again.status).toBe(409);
      expect(again.text).toContain('Your sign-in was accepted');
      const link = /class="button" href="([^"]+)"/.exec(again.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
      expect((await browser.visit(link)).sent.get('state')).toBe('the-state');
    });

    test('of another browser, or changed, or from another site, is refused', async () => {
      const [browser, attacker] = [people.browser(), people.browser()];
      const form = readFormToken(await attacker.visit(people.requestOf(client)));
      const own = readFormToken(await browser.visit(people.requestOf(client)));
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
      (await people.silent(browser, client)).has('code');

    test('asks first, and leaves the tokens', async () => {
      const { browser, tokens } = await signedIn();
      const page = await browser.visit(`/auth/logout?client_id=${client}&post_logout_redirect_uri=${CALLBACK}&state=s`);
      expect(page.status).toBe(200);
      expect(await isSignedIn(browser)).toBe(true);
      const { status, headers } = await browser.post('/auth/logout', { form: readFormToken(page) });
      expect([status, headers.get('location')]).toEqual([303, `${CALLBACK}?state=s`]);
      expect(await isSignedIn(browser)).toBe(false);
      expect(await people.isValid(tokens.access_token)).toBe(true);
      expect((await browser.visit('/auth/logout')).text).toContain(`<a href="${installation.issuer}/docs">`);
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

  describe('consent', () => {
    const decide = async (browser: ReturnType<People['browser']>, page: { text: string }, decision: string) =>
      browser.post('/auth/authorize', { form: readFormToken(page as never), decision });

    test('is asked of a third party once per set of scopes', async () => {
      const third = await people.webClient({ thirdParty: true });
      const person = await people.person();
      const browser = people.browser();
      const page = await people.signIn(browser, third, person, { scope: 'catalog:read' });
      expect(page.status).toBe(200);
      expect(page.text).toContain('see products, performances and prices');
      expect((await decide(browser, page, 'allow')).sent.has('code')).toBe(true);
      expect((await browser.visit(people.requestOf(third, { scope: 'catalog:read' }))).sent.has('code')).toBe(true);
      expect((await browser.visit(people.requestOf(third, { scope: 'orders:read' }))).status).toBe(200);
      expect((await people.silent(browser, third, { scope: 'orders:read' })).get('error')).toBe('consent_required');
      expect((await browser.visit(people.requestOf(third, { scope: 'catalog:read', prompt: 'consent' }))).status).toBe(
        200,
      );
    });

    test('refused is access_denied; sent again, the page says that the first answer counts', async () => {
      const third = await people.webClient({ thirdParty: true });
      const browser = people.browser();
      const page = await people.signIn(browser, third, ada);
      const { status, sent } = await decide(browser, page, 'deny');
      expect([status, Object.fromEntries(sent)]).toEqual([
        303,
        {
          error: 'access_denied',
          error_description: expect.any(String),
          state: 'the-state',
          iss: installation.issuer,
        },
      ]);
      for (const decision of ['deny', 'allow']) {
        const again = await decide(browser, page, decision);
        expect([again.status, again.sent.has('code')]).toEqual([409, false]);
        expect(again.text).toContain('Your first answer was received');
        expect(again.text).not.toContain('sign-in was accepted');
      }
    });

    test('is asked every time where another application could claim the redirect, unless the user signs in for it', async () => {
      const browser = people.browser();
      const at = { redirect_uri: LOOPBACK };
      expect((await people.signIn(browser, client, ada, at)).sent.has('code')).toBe(true);
      for (let count = 0; count < 2; count += 1) {
        const page = await browser.visit(people.requestOf(client, at));
        expect(page.status).toBe(200);
        expect((await decide(browser, page, 'allow')).sent.has('code')).toBe(true);
      }
      expect((await people.silent(browser, client, { ...at })).get('error')).toBe('interaction_required');
      const app = await people.webClient({ redirectUris: ['org.example.app:/callback'] });
      expect((await browser.visit(people.requestOf(app, { redirect_uri: 'org.example.app:/callback' }))).status).toBe(
        200,
      );
    });

    test('of a user who has signed out meanwhile counts for nothing', async () => {
      const browser = people.browser();
      const page = await people.signIn(browser, await people.webClient({ thirdParty: true }), ada);
      browser.cookies.delete(SESSION);
      const again = await decide(browser, page, 'allow');
      expect([again.status, again.headers.get('location')]).toEqual([200, null]);
    });
  });

  describe('scopes', () => {
    test('that the role lacks are left out', async () => {
      const door = await people.person({ role: 'door' });
      expect((await people.tokens(client, door)).scope).toBe('catalog:read');
      expect((await people.tokens(client, door, 'orders:read catalog:read openid')).scope).toBe('catalog:read openid');
      expect((await people.tokens(client, ada)).scope).toBe('catalog:read orders:read users:read');
    });

    test.each([
      ['every asked scope', 'orders:read users:read'],
      ['every asked scope but what adds to one', 'orders:read profile email offline_access'],
    ])('of which the role lacks %s are invalid_scope at the redirect URI', async (_name, scope) => {
      const browser = people.browser();
      const door = await people.person({ role: 'door' });
      const refused = { error: 'invalid_scope', state: 'the-state', iss: installation.issuer };
      const { status, sent } = await people.signIn(browser, client, door, { scope });
      expect([status, Object.fromEntries(sent)]).toEqual([303, { ...refused, error_description: expect.any(String) }]);
      expect((await people.silent(browser, client, { scope })).get('error')).toBe('invalid_scope');
      expect((await people.tokens(client, door, `openid ${scope}`)).scope).toMatch(/^openid/);
    });

    test('that the role lost while the question stood give neither consent nor code', async () => {
      const third = await people.webClient({ thirdParty: true });
      const browser = people.browser();
      const person = await people.person({ role: 'manager' });
      const page = await people.signIn(browser, third, person, { scope: 'orders:read' });
      await people.users.amend('opera', person.userId, { role: 'door' });
      const { sent } = await browser.post('/auth/authorize', { form: readFormToken(page), decision: 'allow' });
      expect([sent.get('error'), sent.has('code')]).toEqual(['invalid_scope', false]);
      await people.users.amend('opera', person.userId, { role: 'manager' });
      expect((await people.silent(browser, third, { scope: 'orders:read' })).get('error')).toBe('consent_required');
    });
  });
});

describe('the pages name the institution', () => {
  const message = (institution: string, data: object, version = 1): Message => ({
    id: randomUUID(),
    type: 'institution.changed',
    key: institution,
    version,
    institution,
    occurredAt: '2027-01-03T18:13:20.000Z',
    data,
  });

  const LAKE = { name: 'Opéra du Lac', languages: ['de', 'fr'] };
  const HARBOUR = { name: 'Opéra du Port', languages: ['fr'] };

  describe.each(engines)(`what is known of institutions on $name${notExercised}`, (engine) => {
    let store: Store;
    let institutions: Institutions;
    let discard: () => Promise<void>;
    beforeAll(async () => {
      ({ store, discard } = await engine.open());
      institutions = createInstitutions(store);
    });
    afterAll(() => discard());

    const changed = (institution: string, data: object, version: number) =>
      recordInstitution(institutions, message(institution, data, version));

    test('comes from the catalog; twice and out of order, the newest version counts', async () => {
      const id = `i${randomUUID()}`;
      await changed(id, LAKE, 2);
      await changed(id, LAKE, 2);
      expect(await institutions.profile(id)).toEqual(LAKE);
      await changed(id, HARBOUR, 5);
      await changed(id, LAKE, 2);
      expect(await institutions.profile(id)).toEqual(HARBOUR);
    });

    test('is the newest version after events at the same time, for every instance', async () => {
      const id = `i${randomUUID()}`;
      const versions = Array.from({ length: 10 }, (_, index) => index + 1);
      const instances = [institutions, createInstitutions(store)];
      await Promise.all(
        versions.map((version) =>
          instances[version % 2]?.record(id, { name: `version ${version}`, languages: ['fr'] }, version),
        ),
      );
      for (const one of instances) expect((await one.profile(id)).name).toBe('version 10');
    });

    test('is the id and every language until the catalog has announced the institution', async () => {
      const id = `i${randomUUID()}`;
      expect(await institutions.profile(id)).toEqual({ name: id, languages: ['en', 'fr', 'de'] });
    });

    test.each([{}, { name: 'Opera' }, { languages: ['fr'] }, { name: 'Opera', languages: 'fr' }])(
      'an event without name and languages is unreadable: %j',
      async (data) => {
        await expect(changed('opera', data, 1)).rejects.toThrow('institution.changed needs name and languages');
      },
    );
  });

  describe('the pages', () => {
    const installation = startInstallationForSuite();

    test('name the institution and the client, in the languages of the institution', async () => {
      const people = createPeople(installation);
      const clientId = await people.webClient();
      const open = (acceptLanguage: string) =>
        people.browser().visit(people.requestOf(clientId), { headers: { 'accept-language': acceptLanguage } });
      expect((await open('en')).text).toContain('<p class="institution">opera</p>');

      await installation.engines.bus.publish(message('opera', LAKE));
      await waitUntil(async () => (await open('en')).text.includes('<p class="institution">Opéra du Lac</p>'), 10_000);
      const [inFrench, inEnglish] = [await open('fr'), await open('en')];
      expect(inFrench.text).toContain('<html lang="fr">');
      expect(inEnglish.text).toContain('<html lang="de">');
      expect(inFrench.headers.get('content-security-policy')).toContain(new URL(CALLBACK).origin);

      expect(inFrench.text).toContain('<strong>Shop</strong>');
      expect(inFrench.text).not.toContain('>opera<');

      const { invitation } = await people.invited({ role: 'manager' });
      const path = invitation.url.slice(installation.issuer.length);
      const invited = await people.browser().visit(path, { headers: { 'accept-language': 'de-CH' } });
      expect(invited.headers.get('content-language')).toBe('de');
      expect(invited.text).toContain('<html lang="de">');
      expect(invited.text).toContain('<strong>Opéra du Lac</strong>');
    });
  });
});
