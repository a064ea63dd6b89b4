import { Agent, request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { posRegistry } from '@boxoffice/envelope';
import { integer, readSettings } from '@boxoffice/runtime';
import { useFixture } from '@boxoffice/service/testkit';
import { beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createRoutes } from '../../src/commands.ts';
import type { PosContext } from '../../src/request/context.ts';
import { openFixture } from '../fixture/fixture.ts';
import { createUserCheckout } from '../fixture/shopper.ts';
import { type FuzzRequest, generateRequests, type Known } from './requests.ts';

const REQUESTS = 3_000;
const AT_ONCE = 32;

const { seed } = readSettings({ seed: integer('TEST_SEED', { default: 20_261_121 }) });

const fixture = useFixture(() => openFixture());
let known: Known;
let newTokens: () => Promise<string[]>;
beforeAll(async () => {
  const [user, member] = [await fixture.user(), await fixture.user(['member'])];
  const [show, numbered] = [fixture.catalog.show(), fixture.catalog.show({ numbered: true })];
  const museum = fixture.catalog.pointOfSale({ institution: 'museum', languages: ['en'] });
  const { performanceId, seatCategoryId } = show;
  const body = { performanceId, seatCategoryId, tariffId: fixture.catalog.full.id };
  const guest = await fixture.call('POST', '/shopping-cart/items', { body });
  let logins = 0;
  // Each login has its own address, so that wrong passwords of the random requests do not count.
  newTokens = async () => {
    logins += 1;
    const call = { headers: { 'x-forwarded-for': `10.9.${logins >> 8}.${logins & 255}` } };
    const { token } = await fixture.call('POST', '/shopping-cart/items', { body });
    return [String(token), await fixture.logIn(user, call), await fixture.logIn(member, call)];
  };
  const token = await fixture.logIn(user);
  await fixture.call('POST', '/shopping-cart/items', { token, body });
  const bought = await fixture.call('POST', '/orders', { token, body: createUserCheckout(user) });
  known = {
    hosts: [fixture.pointOfSale.serviceHost, fixture.pointOfSale.serviceHost, museum.serviceHost],
    tokens: await newTokens(),
    words: [
      ...[show, numbered].flatMap((one) => [one.product.id, one.performanceId, one.seatCategoryId]),
      fixture.catalog.full.id,
      fixture.catalog.member.id,
      user.contactNumber,
      member.contactNumber,
      user.login,
      String(bought.data.id),
      ...Object.keys(guest.data.items as object),
      ...fixture.tickets.tickets.keys(),
      'show',
      'printed',
      'en',
    ],
    items: [body, { ...body, quantity: 2 }],
    operations: [
      ...createRoutes({} as PosContext).map(
        ({ method, path }) => [method.toUpperCase(), path.replace(/^\/tnwr\/\w+/, '')] as const,
      ),
      ['GET', '/nothing'],
      ['GET', '/products/{id}/x'],
    ],
  };
});

const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

const send = ({ method, path, headers, body }: FuzzRequest): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const sent = request(fixture.url, { method, path, headers: { ...headers, ...length }, agent }, async (response) => {
      const raw = Buffer.concat(await response.toArray());
      const coding = response.headers['content-encoding'];
      const plain = coding === 'br' ? brotliDecompressSync(raw) : coding === 'gzip' ? gunzipSync(raw) : raw;
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text: plain.toString('utf8') });
    });
    sent.on('error', reject);
    sent.end(body);
  });

/** The reason why an answer does not have the form of family B; undefined if it has. */
const wrongWith = ({ method, path }: FuzzRequest, { status, headers, text }: Answer): string | undefined => {
  if (status >= 500) return 'a 5xx';
  if (!String(headers['content-type']).startsWith('application/json')) return 'not JSON';
  if (headers['set-cookie'] !== undefined) return 'a header was injected';
  if (method === 'HEAD') return text === '' ? undefined : 'a HEAD has a body';
  const body = JSON.parse(text) as Record<string, unknown>;
  if (path.startsWith('/openapi.json')) return undefined;
  if (status < 300)
    return body.success === true && typeof body.data === 'object' ? undefined : 'not a success of family B';
  const { errorCode, errorMessage, success } = body;
  const isKnown = typeof errorCode === 'string' && Object.hasOwn(posRegistry, errorCode);
  const isFailure = success === false && isKnown && typeof errorMessage === 'string' && errorMessage !== '';
  if (!isFailure) return 'not an error of family B';
  const row = posRegistry[errorCode as keyof typeof posRegistry];
  return row.http === status ? undefined : `${errorCode} has status ${status}`;
};

test(`seed ${seed}: no answer is a 5xx or malformed, and nothing is logged as an error`, async () => {
  const wrong: string[] = [];
  const statuses = new Map<number, number>();
  for (let count = 0; count < REQUESTS; count += AT_ONCE) {
    const requests = fc.sample(generateRequests(known), { seed: seed + count, numRuns: AT_ONCE });
    const answers = await Promise.all(requests.map(send));
    // Some requests end their session.
    if (count % 128 === 0) known = { ...known, tokens: await newTokens() };
    for (const [index, answer] of answers.entries()) {
      const sent = requests[index] as FuzzRequest;
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      const reason = wrongWith(sent, answer);
      if (reason)
        wrong.push(
          `${reason}: ${sent.method} ${sent.path.slice(0, 200)} → ${answer.status} ${answer.text.slice(0, 200)}`,
        );
    }
  }
  agent.destroy();
  expect(wrong).toEqual([]);
  expect(fixture.errors).toEqual([]);
  // The requests reach handlers, and not only the checks before them.
  for (const status of [200, 201, 400, 401, 403, 404, 405, 413, 415])
    expect(statuses.get(status) ?? 0).toBeGreaterThan(0);
  expect(statuses.get(200)).toBeGreaterThan(REQUESTS / 30);
  expect(({} as Record<string, unknown>).admin).toBeUndefined();
});
