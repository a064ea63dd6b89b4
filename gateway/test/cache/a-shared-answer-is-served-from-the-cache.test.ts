import { beforeAll, describe, expect, test } from '@jest/globals';
import { runAtOneMoment } from '../fixtures/http.ts';
import { CATALOG, startCatalogInstallation, startInstallation, useFixture } from '../fixtures/installation.ts';
import { sendJson } from '../fixtures/upstream.ts';

const its = useFixture(() => startInstallation());
let next = 0;

const UNFORESEEN = { success: false, errorCode: 'internal_error', userLoggedOut: false, orderCancelled: false };

/** Every response differs; `?keep=` sets how long it may be cached, `?status=` its status. */
beforeAll(() => {
  its.pos.answer(({ url, headers }, response) => {
    const query = new URLSearchParams(url.split('?')[1]);
    const keep = query.get('keep');
    const known: Record<string, string> = headers['x-auth-token'] === 'alive' ? { 'X-Internal-Session': 'known' } : {};
    next += 1;
    sendJson(
      response,
      Number(query.get('status') ?? 200),
      { ...(query.get('status') === '500' ? UNFORESEEN : { success: true }), data: { answer: next, text: 'é' } },
      {
        'Content-Language': 'fr',
        Vary: 'Accept-Language',
        ...known,
        ...(keep === null ? {} : { 'X-Internal-Keep': keep }),
      },
    );
  });
});

const HOST = { 'x-service-host': 'tickets.opera.example' };

/** A separate response for each test. */
const path = (query: string): string => `/tnwr/v1/products?test=${next}&${query}`;

const answerTo = async (address: string, headers: Record<string, string> = {}, method = 'GET'): Promise<number> => {
  const { body } = await its.call(address, { method, headers: { ...HOST, ...headers } });
  return Number(body.data?.answer);
};

test('an equal request is answered from the cache, with its own headers', () =>
  runAtOneMoment(async () => {
    const address = path('keep=1000');
    const ask = (origin?: string) => its.call(address, { headers: { ...HOST, ...(origin ? { origin } : {}) } });
    const first = await ask();
    const [before, second] = [its.pos.received.length, await ask('https://boxoffice.example')];
    expect(its.pos.received).toHaveLength(before);
    expect(second.text).toBe(first.text);
    expect(second.headers['content-language']).toBe('fr');
    expect(second.headers['content-length']).toBe(first.headers['content-length']);
    expect(second.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
    expect(second.headers.ratelimit).not.toBe(first.headers.ratelimit);
    expect(second.headers['access-control-allow-origin']).toBe('https://boxoffice.example');
    expect(second.headers.vary).toBe('Accept-Language, Origin');
    expect([first, second].map(({ headers }) => headers['x-internal-keep'])).toEqual([undefined, undefined]);
  }));

test('a different request, or one with an unknown session, is forwarded', () =>
  runAtOneMoment(async () => {
    const address = path('keep=1000');
    const first = await answerTo(address);
    const others: Record<string, string>[] = [
      { 'x-service-host': 'tickets.museum.example' },
      { 'accept-language': 'de' },
      { 'accept-encoding': 'br' },
      { 'x-auth-token': 'a-token' },
    ];
    const answers = [first];
    for (const headers of others) answers.push(await answerTo(address, headers));
    answers.push(await answerTo(`${address}&offset=20`));
    expect(new Set(answers).size).toBe(others.length + 2);
    // Forwarded for the session, an answer is newer, and shared from then on.
    expect(await answerTo(address)).toBe(answers[others.length]);
  }));

test('a session that was alive a moment ago shares the answers without one, until it changes', () =>
  runAtOneMoment(async () => {
    const address = path('keep=1000');
    const session = { 'x-auth-token': 'alive' };
    const first = await answerTo(address, session);
    expect([await answerTo(address, session), await answerTo(address)]).toEqual([first, first]);
    // The session is that of its point of sale only.
    const elsewhere = { ...session, 'x-service-host': 'tickets.museum.example' };
    const other = await answerTo(address, elsewhere);
    expect([other === first, await answerTo(address, session)]).toEqual([false, first]);
    for (const method of ['POST', 'DELETE']) {
      await answerTo('/tnwr/v1/sessions', session, method);
      const again = await answerTo(address, session);
      expect([again === first, (await answerTo(address, session)) === again]).toEqual([false, false]);
      expect(await answerTo(address, elsewhere)).toBe(other);
    }
    // What a session is not told by its service is not shared: another is forwarded each time.
    const apart = path('');
    expect(await answerTo(apart, elsewhere)).not.toBe(await answerTo(apart, elsewhere));
    // An answer that the service shares makes no session of an invented token.
    const invented = { ...HOST, 'x-auth-token': 'invented' };
    expect(await answerTo(address, invented)).not.toBe(await answerTo(address, invented));
  }));

test('a response that the service does not share is not cached', async () => {
  for (const query of ['', 'keep=0', 'keep=-5', 'keep=soon', 'keep=1000&status=404', 'keep=1000&status=500']) {
    const address = path(query);
    expect(await answerTo(address)).not.toBe(await answerTo(address));
  }
  const session = '/tnwr/v1/sessions?keep=1000';
  expect(await answerTo(session, {}, 'POST')).not.toBe(await answerTo(session, {}, 'POST'));
});

test('a cached response expires after the service’s time, at most one second', () =>
  runAtOneMoment(async (pass) => {
    for (const [keep, promisedMs] of [
      [100, 100],
      [1_000_000, 1_000],
    ] as const) {
      const address = path(`keep=${keep}`);
      const first = await answerTo(address);
      pass(promisedMs - 1);
      expect(await answerTo(address)).toBe(first);
      pass(1);
      expect(await answerTo(address)).not.toBe(first);
    }
  }));

describe('keys of an institution share public answers', () => {
  const catalog = useFixture(() => startCatalogInstallation());

  /** Every response differs; `?shared=` sets how long it may be shared. */
  beforeAll(() => {
    catalog.catalog.answer(({ url }, response) => {
      const shared = new URLSearchParams(url.split('?')[1]).get('shared');
      next += 1;
      const headers = { ETag: `"${next}"`, Vary: 'Accept-Encoding, Authorization, X-API-Key, Origin' };
      const sharing: Record<string, string> = shared === null ? {} : { 'X-Internal-Keep': shared };
      sendJson(response, 200, { status: 'success', details: null, data: { answer: next } }, { ...headers, ...sharing });
    });
  });

  /** A separate response for each test. */
  const catalogPath = (query = 'shared=1000'): string => `${CATALOG}?test=${next}&${query}`;

  test('equal requests with the keys of an institution get one answer, with their own headers', () =>
    runAtOneMoment(async () => {
      const address = catalogPath();
      const keys = [catalog.authorizer.apiKey(), catalog.authorizer.apiKey()];
      const [first, second] = [
        await catalog.withKey(keys[0]?.key ?? '', address),
        await catalog.withKey(keys[1]?.key ?? '', address),
      ];
      expect([second.status, second.text, second.headers.etag]).toEqual([200, first.text, first.headers.etag]);
      expect(second.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
      expect(second.headers['x-internal-keep']).toBeUndefined();
      const page = await catalog.withKey(keys[0]?.key ?? '', address, {
        headers: { origin: 'https://calendar.city.example' },
      });
      expect([page.text, page.headers.vary]).toEqual([first.text, 'Origin, Accept-Encoding, Authorization, X-API-Key']);
    }));

  test('a key of another institution, a token, a conditional request and another query are forwarded', () =>
    runAtOneMoment(async () => {
      const address = catalogPath();
      const { key } = catalog.authorizer.apiKey();
      const answers = [await catalog.withKey(key, address)];
      answers.push(await catalog.withKey(catalog.authorizer.apiKey({ institution: 'museum' }).key, address));
      answers.push(await catalog.as(catalog.authorizer.token(['catalog:read']))(address));
      answers.push(
        await catalog.withKey(key, address, { headers: { 'if-none-match': String(answers[0]?.headers.etag) } }),
      );
      answers.push(await catalog.withKey(key, `${address}&limit=1`));
      answers.push(await catalog.withKey(key, address, { headers: { 'accept-language': 'de' } }));
      expect(new Set(answers.map(({ text }) => text)).size).toBe(answers.length);
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    }));

  test('a key that may not be used gets no shared answer', () =>
    runAtOneMoment(async () => {
      const address = catalogPath();
      const { key } = catalog.authorizer.apiKey();
      expect((await catalog.withKey(key, address)).status).toBe(200);
      const limited = catalog.authorizer.apiKey({ origins: ['https://calendar.city.example'] });
      const elsewhere = { headers: { origin: 'https://elsewhere.example' } };
      expect((await catalog.withKey(limited.key, address, elsewhere)).status).toBe(403);
      expect((await catalog.withKey(catalog.authorizer.apiKey({ isDeleted: true }).key, address)).status).toBe(401);
      expect((await catalog.call(address)).status).toBe(401);
    }));

  test('an answer that the service does not share is not kept', async () => {
    const address = catalogPath('');
    const { key } = catalog.authorizer.apiKey();
    expect((await catalog.withKey(key, address)).text).not.toBe((await catalog.withKey(key, address)).text);
  });
});
