import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { CATALOG, type CatalogInstallation, startCatalogInstallation } from '../api-keys/catalog-fixture.ts';
import { atOneMoment } from '../fixtures/http.ts';
import { json } from '../fixtures/upstream.ts';

let its: CatalogInstallation;
let next = 0;

/** Every response differs; `?shared=` sets how long it may be shared. */
beforeAll(async () => {
  its = await startCatalogInstallation();
  its.catalog.answer(({ url }, response) => {
    const shared = new URLSearchParams(url.split('?')[1]).get('shared');
    next += 1;
    const headers = { ETag: `"${next}"`, Vary: 'Accept-Encoding, Authorization, X-API-Key, Origin' };
    const sharing: Record<string, string> = shared === null ? {} : { 'X-Internal-Keep': shared };
    json(response, 200, { status: 'success', details: null, data: { answer: next } }, { ...headers, ...sharing });
  });
});
afterAll(() => its.close());

/** A separate response for each test. */
const path = (query = 'shared=1000'): string => `${CATALOG}?test=${next}&${query}`;

test('equal requests with the keys of an institution get one answer, with their own headers', () =>
  atOneMoment(async () => {
    const address = path();
    const keys = [its.authorizer.apiKey(), its.authorizer.apiKey()];
    const [first, second] = [
      await its.withKey(keys[0]?.key ?? '', address),
      await its.withKey(keys[1]?.key ?? '', address),
    ];
    expect([second.status, second.text, second.headers.etag]).toEqual([200, first.text, first.headers.etag]);
    expect(second.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
    expect(second.headers['x-internal-keep']).toBeUndefined();
    const page = await its.withKey(keys[0]?.key ?? '', address, {
      headers: { origin: 'https://calendar.city.example' },
    });
    expect([page.text, page.headers.vary]).toEqual([first.text, 'Origin, Accept-Encoding, Authorization, X-API-Key']);
  }));

test('a key of another institution, a token, a conditional request and another query are forwarded', () =>
  atOneMoment(async () => {
    const address = path();
    const { key } = its.authorizer.apiKey();
    const answers = [await its.withKey(key, address)];
    answers.push(await its.withKey(its.authorizer.apiKey({ institution: 'museum' }).key, address));
    answers.push(await its.as(its.authorizer.token(['catalog:read']))(address));
    answers.push(await its.withKey(key, address, { headers: { 'if-none-match': String(answers[0]?.headers.etag) } }));
    answers.push(await its.withKey(key, `${address}&limit=1`));
    answers.push(await its.withKey(key, address, { headers: { 'accept-language': 'de' } }));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(answers.length);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  }));

test('a key that may not be used gets no shared answer', () =>
  atOneMoment(async () => {
    const address = path();
    const { key } = its.authorizer.apiKey();
    expect((await its.withKey(key, address)).status).toBe(200);
    const limited = its.authorizer.apiKey({ origins: ['https://calendar.city.example'] });
    const elsewhere = { headers: { origin: 'https://elsewhere.example' } };
    expect((await its.withKey(limited.key, address, elsewhere)).status).toBe(403);
    expect((await its.withKey(its.authorizer.apiKey({ isDeleted: true }).key, address)).status).toBe(401);
    expect((await its.call(address)).status).toBe(401);
  }));

test('an answer that the service does not share is not kept', async () => {
  const address = path('');
  const { key } = its.authorizer.apiKey();
  expect((await its.withKey(key, address)).text).not.toBe((await its.withKey(key, address)).text);
});
