import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  createCodeVerifier,
  createPeople,
  createPeopleForSuite,
  LOOPBACK,
  PASSWORD,
  type Person,
  readFormToken,
} from './browser.ts';
import { CALLBACK, engines, startInstallation, startInstallationForSuite } from './installation.ts';

describe.each(engines)('known attacks fail, on $name', (engine) => {
  // Each test is an attack that RFC 9700, 4, RFC 8252, 8, or OpenID Connect describes. Attackers have a user of their
  // own.

  const SESSION = '__Host-boxoffice-session';
  const BROWSER = '__Host-boxoffice-browser';
  const invalidGrant = { status: 400, body: { error: 'invalid_grant' } };

  const installation = startInstallationForSuite({ engine, instances: 2, isBalanced: true });
  const people = createPeopleForSuite(installation);
  let client: string;
  let victim: Person;
  let attacker: Person;

  beforeAll(async () => {
    client = await people.webClient();
    [victim, attacker] = [await people.person(), await people.person()];
  });

  const codeOf = (who: Person, more = {}) => people.code(client, who, more);

  describe('code injection (RFC 9700, 4.5)', () => {
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

  test('redirect manipulation (RFC 9700, 4.1; RFC 8252, 8.10): a form does not take another redirect URI, client or scope than it was shown for', async () => {
    const browser = people.browser();
    const form = readFormToken(await browser.visit(people.requestOf(client, { scope: 'catalog:read' })));
    const { verifier, challenge } = createCodeVerifier();
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

  describe('cross-site requests (RFC 9700, 4.7)', () => {
    const crossSite = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };

    test('sign-in: no other host can set the cookie that a form is bound to', async () => {
      const { headers } = await people.browser().visit(people.requestOf(client));
      const [line = ''] = headers.getSetCookie();
      expect(line).toMatch(new RegExp(`^${BROWSER}=[^;]+; Path=/; Secure; HttpOnly; SameSite=Lax$`));
      expect(line).not.toContain('Domain');
    });

    test('consent: a form of another site gives none, neither with the own state nor with another’s', async () => {
      const third = await people.webClient({ thirdParty: true });
      const [browser, evil] = [people.browser(), people.browser()];
      const own = readFormToken(await people.signIn(browser, third, victim));
      const foreign = readFormToken(await people.signIn(evil, third, attacker));
      for (const [form, headers] of [
        [own, crossSite],
        [own, { origin: 'null' }],
        [foreign, {}],
        ['', crossSite],
      ] as const) {
        const answer = await browser.post('/auth/authorize', { form, decision: 'allow' }, headers);
        expect([answer.status, answer.sent.has('code')]).toEqual([400, false]);
      }
      expect((await people.silent(browser, third)).get('error')).toBe('consent_required');
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
      const form = readFormToken(await browser.visit(people.requestOf(client)));
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
    expect((await people.silent(evil, client)).get('error')).toBe('login_required');
    const twice = people.browser();
    const cookie = `${SESSION}=${planted}; ${SESSION}=${browser.cookies.get(SESSION)}`;
    const tossed = await twice.visit(people.requestOf(client, { prompt: 'none' }), { headers: { cookie } });
    expect(tossed.sent.get('error')).toBe('login_required');
  });

  describe('an unknown client or redirect URI is a page, never a redirect', () => {
    test.each([
      ['no client', { client_id: undefined }],
      ['an unknown client', { client_id: 'cli_AAAAAAAAAAAAAAAAAAAAAA' }],
      ['a malformed client', { client_id: '<script>' }],
      ['no redirect URI', { redirect_uri: undefined }],
      ['another path', { redirect_uri: `${CALLBACK}/x` }],
      ['a script', { redirect_uri: 'javascript:alert(1)' }],
    ])('%s', async (_name, change) => {
      const answer = await people.browser().visit(people.requestOf(client, change));
      expect(answer.status).toBe(400);
      expect(answer.headers.get('location')).toBeNull();
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(answer.text).not.toMatch(/<script|href="(?!\/)|http-equiv/);
    });

    test.each(['client_id', 'redirect_uri'])('%s twice', async (name) => {
      const request = people.requestOf(client);
      const value = new URLSearchParams(request.split('?')[1]).get(name) ?? '';
      const answer = await people.browser().visit(`${request}&${name}=${encodeURIComponent(value)}`);
      expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
    });
  });

  describe('every other error goes to the redirect URI, with state and issuer', () => {
    test.each([
      ['no response_type', { response_type: undefined }, 'invalid_request'],
      ['another response_type', { response_type: 'token' }, 'unsupported_response_type'],
      ['a hybrid response_type', { response_type: 'code id_token' }, 'unsupported_response_type'],
      ['no code_challenge', { code_challenge: undefined }, 'invalid_request'],
      ['a short code_challenge', { code_challenge: 'abc' }, 'invalid_request'],
      ['no code_challenge_method', { code_challenge_method: undefined }, 'invalid_request'],
      ['an empty code_challenge', { code_challenge: '' }, 'invalid_request'],
      ['the method plain', { code_challenge_method: 'plain' }, 'invalid_request'],
      ['another spelling of the method', { code_challenge_method: 's256' }, 'invalid_request'],
      ['an unknown scope', { scope: 'catalog:read everything' }, 'invalid_scope'],
      ['a scope that the client is not registered for', { scope: 'orders:write' }, 'invalid_scope'],
      ['an unknown prompt', { prompt: 'create' }, 'invalid_request'],
      ['prompt none and another', { prompt: 'none login' }, 'invalid_request'],
      ['a max_age that is no number', { max_age: 'soon' }, 'invalid_request'],
      ['a request object', { request: 'e30.e30.' }, 'request_not_supported'],
      ['the response mode fragment', { response_mode: 'fragment' }, 'invalid_request'],
      ['no session and prompt none', { prompt: 'none' }, 'login_required'],
    ])('%s', async (_name, change, error) => {
      const { status, headers, sent } = await people.browser().visit(people.requestOf(client, change));
      expect(status).toBe(303);
      expect(headers.get('location')?.startsWith(`${CALLBACK}?`)).toBe(true);
      expect(Object.fromEntries(sent)).toEqual({
        error,
        error_description: expect.any(String),
        state: 'the-state',
        iss: installation.issuer,
      });
      expect(headers.get('access-control-allow-origin')).toBeNull();
    });

    test('a parameter twice', async () => {
      const twice = await people.browser().visit(`${people.requestOf(client)}&scope=a&scope=b`);
      expect([twice.status, twice.sent.get('error'), twice.sent.get('state')]).toEqual([
        303,
        'invalid_request',
        'the-state',
      ]);
      const { sent } = await people.browser().visit(`${people.requestOf(client)}&state=other`);
      expect([sent.get('error'), sent.get('state')]).toEqual(['invalid_request', null]);
    });

    test.each(['id_token_hint', 'display', 'acr_values', 'claims', 'max_age'])('%s twice', async (name) => {
      const { status, sent } = await people.browser().visit(`${people.requestOf(client)}&${name}=1&${name}=2`);
      expect([status, sent.get('error')]).toEqual([303, 'invalid_request']);
    });

    test('also of a request that is sent as a form', async () => {
      const fields = Object.fromEntries(new URLSearchParams(people.requestOf(client, { scope: 'x' }).split('?')[1]));
      const { status, sent } = await people.browser().post('/auth/authorize', fields);
      expect([status, sent.get('error')]).toEqual([303, 'invalid_scope']);
    });
  });

  describe('the pages', () => {
    test('speak the language of ui_locales, and name the login of login_hint', async () => {
      const hints = { ui_locales: 'de-CH en', login_hint: 'ada@opera.example' };
      const page = await people.browser().visit(people.requestOf(client, hints));
      expect(page.headers.get('content-language')).toBe('de');
      expect(page.text).toContain('<html lang="de">');
      expect(page.text).toContain('value="ada@opera.example"');
    });

    test('are also the errors of their paths', async () => {
      const missing = await people.browser().visit('/auth/authorize/x');
      expect([missing.status, missing.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
      const wrong = await people.browser().visit(people.requestOf(client), { method: 'DELETE' });
      expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
      for (const [form, type, status] of [
        ['x'.repeat(40_000), 'application/x-www-form-urlencoded', 413],
        ['x', 'application/json', 400],
      ] as const) {
        const refused = await people.browser().post('/auth/authorize', { form }, { 'content-type': type });
        expect([refused.status, refused.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8']);
      }
    });
  });
});

test.each(engines)('guessing over many logins is throttled by address, per institution, on $name', async (engine) => {
  const installation = await startInstallation({ engine, loginFailuresPerAddress: 5 });
  const people = createPeople(installation);
  const [client, museum] = [await people.webClient(), await people.webClient({ institution: 'museum' })];
  const ada = await people.person();
  const attempt = async (at: string, login: string, address: string) => {
    const browser = people.browser();
    const form = readFormToken(await browser.visit(people.requestOf(at)));
    const fields = { form, login, password: PASSWORD };
    return (await browser.post('/auth/authorize', fields, { 'x-forwarded-for': address })).status;
  };
  for (let count = 0; count < 5; count += 1)
    expect(await attempt(client, `nobody-${count}@example.org`, '192.0.2.3')).toBe(403);
  expect(await attempt(client, ada.login, '192.0.2.3')).toBe(429);
  expect(await attempt(client, ada.login, '192.0.2.4')).toBe(303);
  expect(await attempt(museum, ada.login, '192.0.2.3')).toBe(403);
  await installation.close();
});
