import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { engines, type Installation, startInstallation } from '../installation.ts';
import { CALLBACK, formOf, LOOPBACK, PASSWORD, type People, type Person, peopleOf, proof } from './browser.ts';

// Each test is an attack that RFC 9700, 4, RFC 8252, 8, or OpenID Connect describes. Attackers have a user of their own.

const SESSION = '__Host-boxoffice-session';
const BROWSER = '__Host-boxoffice-browser';
const invalidGrant = { status: 400, body: { error: 'invalid_grant' } };

describe.each(engines)('on $name', (engine) => {
  let installation: Installation;
  let people: People;
  let client: string;
  let victim: Person;
  let attacker: Person;

  beforeAll(async () => {
    installation = await startInstallation({ engine, instances: 2, isBalanced: true });
    people = peopleOf(installation);
    client = await people.webClient();
    [victim, attacker] = [await people.person(), await people.person()];
  });
  afterAll(() => installation.close());

  const codeOf = async (who: Person, more: Readonly<Record<string, string>> = {}) => {
    const { verifier, challenge } = proof();
    const { sent } = await people.signIn(people.browser(), client, who, { code_challenge: challenge, ...more });
    return { code: sent.get('code') ?? '', verifier, challenge };
  };

  describe('code injection (RFC 9700, 4.5)', () => {
    test("a stolen code fails in the attacker's own session, and ends", async () => {
      const [stolen, own] = [await codeOf(victim), await codeOf(attacker)];
      expect(await people.exchange(client, stolen.code, own.verifier)).toMatchObject(invalidGrant);
      expect(await people.exchange(client, stolen.code, stolen.verifier)).toMatchObject(invalidGrant);
    });

    test("an attacker's code fails in the victim's session", async () => {
      const [planted, waiting] = [await codeOf(attacker), await codeOf(victim)];
      expect(await people.exchange(client, planted.code, waiting.verifier)).toMatchObject(invalidGrant);
      expect((await people.exchange(client, waiting.code, waiting.verifier)).status).toBe(200);
    });

    test('a code is of no use with another redirect URI of the client', async () => {
      const { code, verifier } = await codeOf(victim, { redirect_uri: LOOPBACK });
      expect(await people.exchange(client, code, verifier, { redirect_uri: CALLBACK })).toMatchObject(invalidGrant);
      const port = await codeOf(victim, { redirect_uri: 'http://127.0.0.1:5001/callback' });
      const other = { redirect_uri: 'http://127.0.0.1:5002/callback' };
      expect(await people.exchange(client, port.code, port.verifier, other)).toMatchObject(invalidGrant);
    });

    test("a code is of no use to another client, of the same or another institution, with that client's secret", async () => {
      const { code, verifier } = await codeOf(victim);
      for (const institution of ['opera', 'museum']) {
        const { clientId, clientSecret } = await people.confidentialClient({ institution });
        const taken = await people.exchange(clientId, code, verifier, { client_secret: clientSecret });
        expect(taken).toMatchObject(invalidGrant);
      }
      expect((await people.exchange(client, code, verifier)).status).toBe(200);
    });
  });

  test('mix-up: every answer at the redirect URI names the issuer (RFC 9207, 2)', async () => {
    const third = await people.webClient({ thirdParty: true });
    const browser = people.browser();
    const question = await people.signIn(browser, third, victim);
    const answers = [
      await people.signIn(people.browser(), client, victim),
      await browser.post('/auth/authorize', { form: formOf(question), decision: 'deny' }),
      await people.browser().visit(people.requestOf(client, { prompt: 'none' })),
      await people.browser().visit(people.requestOf(client, { scope: 'orders:write' })),
      await people.browser().visit(people.requestOf(client, { code_challenge: undefined })),
    ];
    for (const { status, sent } of answers) expect([status, sent.getAll('iss')]).toEqual([303, [installation.issuer]]);
  });

  describe('redirect manipulation (RFC 9700, 4.1; RFC 8252, 8.10)', () => {
    test.each([
      `${CALLBACK}/`,
      `${CALLBACK}/../../evil`,
      `${CALLBACK}%2f..%2fevil`,
      `${CALLBACK}?`,
      `${CALLBACK}?code=x`,
      `${CALLBACK}&x=1`,
      `${CALLBACK};x`,
      `${CALLBACK}#`,
      ` ${CALLBACK}`,
      `${CALLBACK} `,
      `${CALLBACK}\r\nSet-Cookie: a=b`,
      'https://shop.example.org/call%62ack',
      'https://shop.example.org//callback',
      'https://shop.example.org/CALLBACK',
      'https://SHOP.example.org/callback',
      'HTTPS://shop.example.org/callback',
      'https://shop.example.org:443/callback',
      'https://shop.example.org./callback',
      'https://shop.example.org%2eevil.example/callback',
      'https://evil.example\\@shop.example.org/callback',
      'https://evil.example#@shop.example.org/callback',
      'https://shop.example.org:pass@evil.example/callback',
      'https://user@shop.example.org/callback',
      'https://shop.ехample.org/callback',
      '//shop.example.org/callback',
      '/callback',
      'https:shop.example.org/callback',
      'data:text/html,x',
      'http://127.0.0.1/',
      'http://127.0.0.1/callback/../x',
      'http://127.0.0.1:/callback',
      'http://127.0.0.1:0/callback',
      'http://127.0.0.1:65536/callback',
      'http://127.0.0.1:80:80/callback',
      'http://127.0.0.1:5000@evil.example/callback',
      'http://127.0.0.1.evil.example/callback',
      'http://127.0.0.2/callback',
      'http://127.1/callback',
      'http://0x7f000001/callback',
      'http://2130706433/callback',
      'http://0.0.0.0/callback',
      'http://localhost/callback',
      'http://localhost:5000@evil.example/callback',
      'http://[::1]/callback',
      'http://[::ffff:127.0.0.1]/callback',
      'https://127.0.0.1/callback',
    ])('%j is a page and no redirect', async (uri) => {
      const { status, headers, text } = await people.browser().visit(people.requestOf(client, { redirect_uri: uri }));
      expect([status, headers.get('location')]).toEqual([400, null]);
      expect(text).not.toMatch(/href="(?!\/)|http-equiv/);
    });

    test('a form does not take another redirect URI, client or scope than it was shown for', async () => {
      const browser = people.browser();
      const form = formOf(await browser.visit(people.requestOf(client, { scope: 'catalog:read' })));
      const { verifier, challenge } = proof();
      const { status, headers, sent } = await browser.post('/auth/authorize', {
        form,
        login: victim.login,
        password: PASSWORD,
        redirect_uri: 'https://evil.example/callback',
        client_id: await people.webClient({ redirectUris: ['https://evil.example/callback'] }),
        scope: 'orders:read',
        code_challenge: challenge,
      });
      expect([status, headers.get('location')?.startsWith(`${CALLBACK}?`)]).toEqual([303, true]);
      // The code belongs to the challenge that the form was shown for.
      expect(await people.exchange(client, sent.get('code'), verifier)).toMatchObject(invalidGrant);
    });
  });

  describe('PKCE downgrade (RFC 9700, 4.8.2; RFC 7636, 7.2)', () => {
    test.each([
      ['no challenge', { code_challenge: undefined, code_challenge_method: undefined }],
      ['no method', { code_challenge_method: undefined }],
      ['the method plain', { code_challenge_method: 'plain' }],
      ['another spelling', { code_challenge_method: 's256' }],
      ['an empty challenge', { code_challenge: '' }],
    ])('a request with %s gets no page and no code', async (_name, change) => {
      const browser = people.browser();
      await people.signIn(browser, client, victim);
      const { status, sent } = await browser.visit(people.requestOf(client, change));
      expect([status, sent.get('error'), sent.has('code')]).toEqual([303, 'invalid_request', false]);
    });

    test.each([
      ['without a verifier', () => '', 'missing_parameter'],
      ['with the challenge as verifier', (challenge: string) => challenge, 'bad_request'],
      ['with a short verifier', () => 'abc', 'bad_request'],
    ])('a code is not exchanged %s', async (_name, verifierOf, status) => {
      const { code, challenge } = await codeOf(victim);
      const refused = await people.exchange(client, code, verifierOf(challenge));
      expect(refused).toMatchObject({ status: 400, body: { status } });
    });
  });

  describe('cross-site requests (RFC 9700, 4.7)', () => {
    const crossSite = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };

    test("sign-in: an attacker's form does not sign the victim's browser in as the attacker", async () => {
      const [browser, evil] = [people.browser(), people.browser()];
      const form = formOf(await evil.visit(people.requestOf(client)));
      await browser.visit(people.requestOf(client));
      for (const headers of [crossSite, {}] as Record<string, string>[]) {
        const fields = { form, login: attacker.login, password: PASSWORD };
        const refused = await browser.post('/auth/authorize', fields, headers);
        expect([refused.status, browser.cookies.has(SESSION)]).toEqual([400, false]);
      }
    });

    test("sign-in: nor does it with the attacker's cookie, which no other host can set", async () => {
      const { headers } = await people.browser().visit(people.requestOf(client));
      const [line = ''] = headers.getSetCookie();
      expect(line).toMatch(new RegExp(`^${BROWSER}=[^;]+; Path=/; Secure; HttpOnly; SameSite=Lax$`));
      expect(line).not.toContain('Domain');
    });

    test('consent: a form of another site gives none, neither with the own state nor with another’s', async () => {
      const third = await people.webClient({ thirdParty: true });
      const [browser, evil] = [people.browser(), people.browser()];
      const own = formOf(await people.signIn(browser, third, victim));
      const foreign = formOf(await people.signIn(evil, third, attacker));
      for (const [form, headers] of [
        [own, crossSite],
        [own, { origin: 'null' }],
        [foreign, {}],
        ['', crossSite],
      ] as const) {
        const answer = await browser.post('/auth/authorize', { form, decision: 'allow' }, headers);
        expect([answer.status, answer.sent.has('code')]).toEqual([400, false]);
      }
      const silent = await browser.visit(people.requestOf(third, { prompt: 'none' }));
      expect(silent.sent.get('error')).toBe('consent_required');
    });

    test('consent: the decision in a request without a form counts for nothing', async () => {
      const third = await people.webClient({ thirdParty: true });
      const browser = people.browser();
      await people.signIn(browser, third, victim);
      for (const decision of ['allow', 'deny']) {
        const page = await browser.visit(people.requestOf(third, { decision }));
        expect([page.status, page.sent.has('code')]).toEqual([200, false]);
      }
    });

    test('a form for signing in is none for consent or signing out', async () => {
      const browser = people.browser();
      const form = formOf(await browser.visit(people.requestOf(client)));
      await people.signIn(browser, client, victim);
      expect((await browser.post('/auth/logout', { form })).status).toBe(400);
      const answer = await browser.post('/auth/authorize', { form, decision: 'allow' });
      expect([answer.status, answer.sent.has('code')]).toEqual([403, false]);
    });
  });

  test('clickjacking: no page can be framed (RFC 9700, 4.16)', async () => {
    const third = await people.webClient({ thirdParty: true });
    const browser = people.browser();
    const { invitation } = await people.users.invite('opera', attacker.userId);
    const pages = [
      await browser.visit(people.requestOf(client)),
      await people.signIn(browser, client, victim, {}, 'wrong'),
      await people.signIn(browser, third, victim),
      await browser.visit('/auth/logout'),
      await browser.visit(people.requestOf(client, { redirect_uri: 'https://evil.example' })),
      await browser.visit('/auth/authorize/x'),
      await browser.visit(invitation.url.slice(installation.issuer.length)),
      await browser.visit('/auth/invitation'),
    ];
    for (const { headers, text } of pages) {
      expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
      expect(text).not.toMatch(/<script|\son[a-z]+=/);
    }
  });

  test('session fixation: a sign-in never goes on with a session that the browser was given', async () => {
    const [browser, evil] = [people.browser(), people.browser()];
    await people.signIn(evil, client, attacker);
    const planted = evil.cookies.get(SESSION) ?? '';
    browser.cookies.set(SESSION, planted);
    await people.signIn(browser, client, victim, { prompt: 'login' });
    expect(browser.cookies.get(SESSION)).not.toBe(planted);
    // What the attacker knows is no session any more, least of all the victim's.
    expect((await evil.visit(people.requestOf(client, { prompt: 'none' }))).sent.get('error')).toBe('login_required');
    const twice = people.browser();
    const cookie = `${SESSION}=${planted}; ${SESSION}=${browser.cookies.get(SESSION)}`;
    const tossed = await twice.visit(people.requestOf(client, { prompt: 'none' }), { headers: { cookie } });
    expect(tossed.sent.get('error')).toBe('login_required');
  });

  describe('guessing', () => {
    const attempt = async (login: string, address: string, password = 'wrong') => {
      const browser = people.browser();
      const form = formOf(await browser.visit(people.requestOf(client)));
      return browser.post('/auth/authorize', { form, login, password }, { 'x-forwarded-for': address });
    };

    test('one login from one address is throttled after ten wrong passwords, with the right one, too', async () => {
      const { login } = await people.person();
      for (let count = 0; count < 10; count += 1) expect((await attempt(login, '192.0.2.1')).status).toBe(403);
      const refused = await attempt(login, '192.0.2.1', PASSWORD);
      expect([refused.status, refused.headers.get('content-type')]).toEqual([429, 'text/html; charset=utf-8']);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await attempt(login, '192.0.2.2', PASSWORD)).status).toBe(303);
    });
  });
});
