import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { engines, type Installation, startInstallation } from '../installation.ts';
import { formOf, LOOPBACK, type People, type Person, peopleOf } from './browser.ts';

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

  describe('consent', () => {
    const decide = async (browser: ReturnType<People['browser']>, page: { text: string }, decision: string) =>
      browser.post('/auth/authorize', { form: formOf(page as never), decision });

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
      const silent = await browser.visit(people.requestOf(third, { scope: 'orders:read', prompt: 'none' }));
      expect(silent.sent.get('error')).toBe('consent_required');
      expect((await browser.visit(people.requestOf(third, { scope: 'catalog:read', prompt: 'consent' }))).status).toBe(
        200,
      );
    });

    test('refused is access_denied; sent again, the page says that the first answer counts', async () => {
      const third = await people.webClient({ thirdParty: true });
      const browser = people.browser();
      const page = await people.signIn(browser, third, ada);
      const { status, sent } = await decide(browser, page, 'deny');
      expect([status, sent.get('error'), sent.get('state')]).toEqual([303, 'access_denied', 'the-state']);
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
      expect((await browser.visit(people.requestOf(client, { ...at, prompt: 'none' }))).sent.get('error')).toBe(
        'interaction_required',
      );
      const app = await people.webClient({ redirectUris: ['org.example.app:/callback'] });
      expect((await browser.visit(people.requestOf(app, { redirect_uri: 'org.example.app:/callback' }))).status).toBe(
        200,
      );
    });

    test('is not given by a form of another session, or from another site', async () => {
      const third = await people.webClient({ thirdParty: true });
      const [browser, victim] = [people.browser(), people.browser()];
      const page = await people.signIn(browser, third, ada);
      await people.signIn(victim, client, ada);
      expect((await decide(victim, page, 'allow')).status).toBe(400);
      const crossSite = { origin: 'https://evil.example' };
      const refused = await browser.post('/auth/authorize', { form: formOf(page), decision: 'allow' }, crossSite);
      expect(refused.status).toBe(400);
      // Signed out meanwhile: the user signs in again.
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
      const silent = await browser.visit(people.requestOf(client, { scope, prompt: 'none' }));
      expect(silent.sent.get('error')).toBe('invalid_scope');
      expect((await people.tokens(client, door, `openid ${scope}`)).scope).toMatch(/^openid/);
    });

    test('without any that client and role share are invalid_scope at the redirect URI', async () => {
      const orders = await people.webClient({ scopes: ['orders:read'] });
      const { sent } = await people.signIn(people.browser(), orders, await people.person({ role: 'door' }));
      expect([sent.get('error'), sent.has('code')]).toEqual(['invalid_scope', false]);
    });

    test('that the role lost while the question stood give neither consent nor code', async () => {
      const third = await people.webClient({ thirdParty: true });
      const browser = people.browser();
      const person = await people.person({ role: 'manager' });
      const page = await people.signIn(browser, third, person, { scope: 'orders:read' });
      await people.users.amend('opera', person.userId, { role: 'door' });
      const { sent } = await browser.post('/auth/authorize', { form: formOf(page), decision: 'allow' });
      expect([sent.get('error'), sent.has('code')]).toEqual(['invalid_scope', false]);
      await people.users.amend('opera', person.userId, { role: 'manager' });
      const again = await browser.visit(people.requestOf(third, { scope: 'orders:read', prompt: 'none' }));
      expect(again.sent.get('error')).toBe('consent_required');
    });
  });
});
