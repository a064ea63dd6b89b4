import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { atOneMoment } from '../fixtures/http.ts';
import { type Installation, startInstallation } from '../fixtures/installation.ts';
import { json } from '../fixtures/upstream.ts';

let its: Installation;
let next = 0;

const UNFORESEEN = { success: false, errorCode: 'internal_error', userLoggedOut: false, orderCancelled: false };

/** Every response differs; `?keep=` sets how long it may be cached, `?status=` its status. */
beforeAll(async () => {
  its = await startInstallation();
  its.pos.answer(({ url }, response) => {
    const query = new URLSearchParams(url.split('?')[1]);
    const keep = query.get('keep');
    next += 1;
    json(
      response,
      Number(query.get('status') ?? 200),
      { ...(query.get('status') === '500' ? UNFORESEEN : { success: true }), data: { answer: next, text: 'é' } },
      { 'Content-Language': 'fr', Vary: 'Accept-Language', ...(keep === null ? {} : { 'X-Internal-Keep': keep }) },
    );
  });
});
afterAll(() => its.close());

const HOST = { 'x-service-host': 'tickets.opera.example' };

/** A separate response for each test. */
const path = (query: string): string => `/tnwr/v1/products?test=${next}&${query}`;

const answerTo = async (address: string, headers: Record<string, string> = {}, method = 'GET'): Promise<number> => {
  const { body } = await its.call(address, { method, headers: { ...HOST, ...headers } });
  return Number(body.data?.answer);
};

test('an equal request is answered from the cache, with its own headers', () =>
  atOneMoment(async () => {
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
  atOneMoment(async () => {
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
  atOneMoment(async () => {
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
  atOneMoment(async (pass) => {
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
