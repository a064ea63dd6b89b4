import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { get } from 'node:https';
import { type CallerUser, type SignedCaller, signIdentity } from '@boxoffice/identity';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Exchange } from '../../src/exchange/exchange.ts';
import { createStreams, type Streams } from '../../src/forwarding/streams.ts';
import { waitUntil } from '../fixtures/http.ts';
import { startInstallation, useFixture } from '../fixtures/installation.ts';
import { sendJson } from '../fixtures/upstream.ts';

const PATH = '/svc/v3/contacts/changes';
/** Far below what the operation claims, and below the life of the streams here. */
const TIMEOUTS = { answer: 300, total: 600 };
const PROMISED_MS = 5_000;

const its = useFixture(() => startInstallation({ timeouts: TIMEOUTS }));
/** The open responses of the service by request id: streams, and those that are never answered. */
const streams = new Map<unknown, ServerResponse>();
let waiting = 0;
beforeAll(() => {
  its.contacts.answer(({ url, headers }, response) => {
    if (url.endsWith('?late')) setTimeout(() => sendJson(response, 200, {}), 2 * TIMEOUTS.total);
    else if (url.includes('?wait')) waiting += 1;
    else {
      streams.set(headers['x-request-id'], response);
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write(': \n\n');
    }
  });
});

/** A stream as its client sees it; `service` is the open response of the service. */
const follow = async (token: string) => {
  const requestId = randomUUID();
  const seen = { status: 0, text: '', ended: false, broken: false };
  const headers = { authorization: `Bearer ${token}`, host: 'boxoffice.example', 'x-request-id': requestId };
  const breaks = () => {
    seen.broken = true;
  };
  const outgoing = get(`${its.gateway.httpsUrl}${PATH}`, { rejectUnauthorized: false, headers }, (reply) => {
    seen.status = reply.statusCode ?? 0;
    reply.setEncoding('utf8');
    reply.on('data', (chunk: string) => {
      seen.text += chunk;
    });
    reply.on('end', () => {
      seen.ended = true;
    });
    reply.on('error', breaks);
  });
  outgoing.on('error', breaks);
  await waitUntil(() => seen.text === ': \n\n' || seen.ended);
  const service = streams.get(requestId);
  if (!service) throw new Error(`the service got no request: ${seen.status}`);
  return { seen, service, leave: () => outgoing.destroy() };
};

test.concurrent('each piece arrives before the next is written, and no time limit ends the stream', async () => {
  const { seen, service, leave } = await follow(its.authorizer.token(['contacts:read']));
  // Together longer than every limit.
  for (let piece = 0; piece < 36; piece += 1) {
    service.write(`data: ${piece}\n\n`);
    await waitUntil(() => seen.text.endsWith(`data: ${piece}\n\n`));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect(seen).toMatchObject({ ended: false, broken: false });
  leave();
  await waitUntil(() => service.destroyed);
});

test.concurrent('an operation that says so may take longer to answer', async () => {
  const { status } = await its.as(its.authorizer.token(['contacts:read']))(`${PATH}?late`);
  expect(status).toBe(200);
});

/** What makes a token of both scopes worth less: it is revoked, or loses one of them. */
const ends: readonly ((token: string) => void)[] = [
  (token) => void its.authorizer.revoke(token),
  (token) => {
    its.authorizer.client(token).scopes = ['events:read'];
  },
  (token) => {
    its.authorizer.client(token).scopes = ['contacts:read'];
  },
];

test.concurrent('a stream ends within five seconds after its token is revoked or loses a scope, whichever it is', async () => {
  const tokens = ends.map(() => its.authorizer.token(['contacts:read', 'events:read']));
  const followed = await Promise.all(tokens.map(follow));
  for (const [index, end] of ends.entries()) end(tokens[index] ?? '');
  await waitUntil(() => followed.every(({ seen }) => seen.ended), 10 * PROMISED_MS);
  for (const { seen } of followed) expect(seen.broken).toBe(false);
  await waitUntil(() => followed.every(({ service }) => service.destroyed));
});

test.concurrent('a request that waits is refused within five seconds after its token is worth less', async () => {
  const tokens = ends.map(() => its.authorizer.token(['contacts:read', 'events:read']));
  const answers = tokens.map((token) => its.as(token)(`${PATH}?wait=20`));
  await waitUntil(() => waiting === tokens.length);
  for (const [index, end] of ends.entries()) end(tokens[index] ?? '');
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  expect(statuses).toEqual([401, 403, 503]);
});

/** A stream whose token expires in seconds: the later, the slower the machine is. */
const followShortly = async (seconds = 3): ReturnType<typeof follow> => {
  const exp = Math.floor(Date.now() / 1_000) + seconds;
  const stream = await follow(its.authorizer.token(['contacts:read'], { exp })).catch((error: unknown) => {
    if (Date.now() < exp * 1_000) throw error;
  });
  return stream ?? followShortly(2 * seconds);
};

test.concurrent('a stream ends when its token expires', async () => {
  const { seen } = await followShortly();
  await waitUntil(() => seen.ended, 10 * PROMISED_MS);
  expect(seen.broken).toBe(false);
});

describe('a stream ends when its token is worth less', () => {
  const key = { kid: 'k1', privateKey: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey };
  const scopes = ['events:read', 'contacts:read', 'catalog:read'];
  const manager: CallerUser = { id: 'usr_1', role: 'manager', contact: null, pointsOfSale: [] };
  const boxOffice: CallerUser = { ...manager, role: 'box_office', pointsOfSale: ['a.example', 'b.example'] };

  const ownOrders = { ownOrders: true, pointsOfSale: [] };

  type Bounds = Partial<Pick<SignedCaller, 'scopes' | 'user' | 'bounds'>>;

  /** No two are equal: each is issued a second later. */
  let issuedAt = 1_800_000_000;
  const identityOf = (bounds: Bounds): string => {
    const caller = { institution: 'opera', client: 'cli_1', service: null, operation: 'listEvents', scopes, ...bounds };
    issuedAt += 1;
    return signIdentity(key, { audience: 'events', caller, issuedAt });
  };

  let watching: Streams;
  afterEach(() => watching.close());

  /** A stream that was opened with these bounds, and how often it was decided about since. */
  const open = (bounds: Bounds) => {
    const state = { bounds, identity: () => identityOf(state.bounds), decisions: 0, ended: false };
    const response = Object.assign(new EventEmitter(), {
      end: () => {
        state.ended = true;
        response.emit('close');
      },
    });
    watching = createStreams({
      checks: [
        (exchange) => {
          exchange.identity = state.identity();
          state.decisions += 1;
          return undefined;
        },
      ],
      logger: { error: () => undefined },
      everyMs: 5,
    });
    watching.began({ response, identity: identityOf(bounds) } as unknown as Exchange);
    return state;
  };

  /** The third check from now began after the second one had its consequences. */
  const checked = (state: { readonly decisions: number }): Promise<void> => {
    const least = state.decisions + 3;
    return waitUntil(() => state.decisions >= least);
  };

  test.each<[string, Bounds, Bounds]>([
    ['a scope', { scopes }, { scopes: ['events:read', 'catalog:read'] }],
    ['a scope and gains another', { scopes }, { scopes: ['events:read', 'catalog:read', 'orders:read'] }],
    ['its role', { user: manager }, { user: boxOffice }],
    ['a point of sale', { user: boxOffice }, { user: { ...boxOffice, pointsOfSale: ['a.example'] } }],
    [
      'its contact',
      { user: { ...manager, role: 'customer', contact: 'C7K2M9QX4TB03' } },
      { user: { ...manager, role: 'customer', contact: 'C7K2M9QX4TB04' } },
    ],
    ['the data of others', {}, { bounds: ownOrders }],
    ['a point of sale of its client', { bounds: ownOrders }, { bounds: { ...ownOrders, pointsOfSale: ['a.example'] } }],
  ])('a stream ends when its caller loses %s', async (_, before, after) => {
    const state = open(before);
    await checked(state);
    expect(state.ended).toBe(false);
    state.bounds = after;
    await waitUntil(() => state.ended);
  });

  test.each<[string, Bounds, Bounds]>([
    ['scopes in another order', { scopes }, { scopes: scopes.toReversed() }],
    ['one scope more', { scopes }, { scopes: [...scopes, 'orders:read'] }],
    [
      'points of sale in another order',
      { user: boxOffice },
      { user: { ...boxOffice, pointsOfSale: ['b.example', 'a.example'] } },
    ],
  ])('a stream goes on with %s', async (_, before, after) => {
    const state = open(before);
    state.bounds = after;
    await checked(state);
    expect(state.ended).toBe(false);
  });

  test('a scope that came later is lost like the others', async () => {
    const state = open({ scopes: ['events:read'] });
    state.bounds = { scopes };
    await checked(state);
    expect(state.ended).toBe(false);
    state.bounds = { scopes: ['events:read'] };
    await waitUntil(() => state.ended);
  });

  test('an identity that cannot be read ends the stream', async () => {
    const state = open({ scopes });
    state.identity = () => 'no token';
    await waitUntil(() => state.ended);
  });

  test('an authorizer that does not answer ends no stream', async () => {
    const state = open({ scopes });
    state.identity = () => {
      state.decisions += 1;
      throw new Error('it does not answer');
    };
    await checked(state);
    expect(state.ended).toBe(false);
  });
});
