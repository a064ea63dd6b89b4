import { generateKeyPairSync } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { type CallerUser, type SignedCaller, signIdentity } from '@boxoffice/identity';
import { afterEach, expect, test } from '@jest/globals';
import type { Exchange } from '../../src/exchange/exchange.ts';
import { createStreams, type Streams } from '../../src/forwarding/streams.ts';
import { until } from '../fixtures/http.ts';

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

let streams: Streams;
afterEach(() => streams.close());

/** A stream that was opened with these bounds, and how often it was decided about since. */
const open = (bounds: Bounds) => {
  const state = { bounds, identity: () => identityOf(state.bounds), decisions: 0, ended: false };
  const response = Object.assign(new EventEmitter(), {
    end: () => {
      state.ended = true;
      response.emit('close');
    },
  });
  streams = createStreams({
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
  streams.began({ response, identity: identityOf(bounds) } as unknown as Exchange);
  return state;
};

/** The third check from now began after the second one had its consequences. */
const checked = (state: { readonly decisions: number }): Promise<void> => {
  const least = state.decisions + 3;
  return until(() => state.decisions >= least);
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
  await until(() => state.ended);
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
  await until(() => state.ended);
});

test('an identity that cannot be read ends the stream', async () => {
  const state = open({ scopes });
  state.identity = () => 'no token';
  await until(() => state.ended);
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
