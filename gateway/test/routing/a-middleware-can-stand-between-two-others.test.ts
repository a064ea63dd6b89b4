import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { Fault } from '@boxoffice/envelope';
import { beforeEach, expect, test } from '@jest/globals';
import express, { type RequestHandler } from 'express';
import request from 'supertest';
import { createDocuments } from '../../src/descriptions/documents.ts';
import { ownRoutes } from '../../src/descriptions/own-operations.ts';
import type { Exchange } from '../../src/exchange/exchange.ts';
import { createPeers, createTrust } from '../../src/exchange/peer.ts';
import { createLimits } from '../../src/limits/limits.ts';
import { answerError } from '../../src/middleware/answer-error.ts';
import { answerOwnOperations } from '../../src/middleware/answer-own-operations.ts';
import { canonicalisePath } from '../../src/middleware/canonicalise-path.ts';
import { continueAfter } from '../../src/middleware/continue-after.ts';
import { countAddress } from '../../src/middleware/count-address.ts';
import { findRoute } from '../../src/middleware/find-route.ts';
import { createExchanges } from '../../src/middleware/open-exchange.ts';
import { createPages } from '../../src/routing/router.ts';
import { createRouting } from '../../src/routing/routing.ts';

const ignore = () => undefined;
const log: [string, Record<string, unknown>][] = [];
const logger = { error: (message: string, fields: object = {}) => void log.push([message, { ...fields }]) };

const pages = createPages();
const routing = createRouting({ pages, own: ownRoutes, logger: { info: ignore, warn: ignore } });
const perMinute = { address: 100, client: 100, session: 100 };
const limits = createLimits(perMinute, { usedSince: () => 0, startRequest: ignore }, ignore);
const exchanges = createExchanges({
  peerOf: createPeers(createTrust([])),
  hsts: undefined,
  hasErrorPages: () => false,
  onCompleted: ignore,
});

/** Middleware of the gateway with one more: before it the path is read, after it the route is found. */
const appWith = (own: RequestHandler) =>
  express()
    .use(exchanges.open)
    .use(countAddress(limits))
    .use(canonicalisePath(pages))
    .use(own)
    .use(findRoute(routing))
    .use(
      answerOwnOperations({
        documents: createDocuments(routing, 'https://tickets.example.org'),
        documentation: async () => undefined,
      }),
    )
    .use(answerError(logger));

beforeEach(() => {
  log.length = 0;
});

test('it reads what those before it have found out, and those after it go on', async () => {
  const seen: unknown[] = [];
  const app = appWith(({ exchange }, response, next) => {
    seen.push(exchange.target.path, exchange.quota?.policy.name, exchange.route);
    response.setHeader('X-Own', 'seen');
    next();
  });
  const { status, headers, body } = await request(app).get('/err%6frs');
  expect(seen).toEqual(['/errors', 'address', undefined]);
  expect([status, headers['x-own'], body.status]).toEqual([200, 'seen', 'success']);
});

test('it answers by itself', async () => {
  const app = appWith((_request, response) => void response.status(202).json({ own: true }));
  const { status, body } = await request(app).get('/errors');
  expect([status, body]).toEqual([202, { own: true }]);
});

const refusals: readonly [string, RequestHandler][] = [
  [
    'throws',
    () => {
      throw new Fault('forbidden', 'Not today.');
    },
  ],
  ['rejects with', () => Promise.reject(new Fault('forbidden', 'Not today.'))],
  ['hands on', (_request, _response, next) => next(new Fault('forbidden', 'Not today.'))],
];

test.each(refusals)('what it %s is answered in the envelope of the family', async (_how, own) => {
  const institutions = await request(appWith(own)).get('/errors');
  expect([institutions.status, institutions.body]).toEqual([
    403,
    { status: 'forbidden', details: 'Not today.', data: null },
  ]);
  expect(institutions.headers).toMatchObject({ 'x-request-id': expect.any(String), ratelimit: expect.any(String) });
  const visitors = await request(appWith(own)).get('/tnwr/v1/products');
  expect([visitors.status, visitors.body]).toEqual([
    403,
    { success: false, errorCode: 'forbidden', errorMessage: 'Not today.' },
  ]);
  expect(log).toEqual([]);
});

test('an error of its own is internal_error, and logged with the request id', async () => {
  const app = appWith(() => {
    throw new TypeError('unforeseen');
  });
  const { status, headers, text } = await request(app).get('/errors');
  expect([status, JSON.parse(text).status]).toEqual([500, 'internal_error']);
  expect(text).not.toContain('unforeseen');
  expect(log).toEqual([['a request failed', expect.objectContaining({ requestId: headers['x-request-id'] })]]);
});

test('where it waits, nothing more is done for a client that disconnects meanwhile', async () => {
  const waiting = Promise.withResolvers<undefined>();
  const reached = Promise.withResolvers<Exchange>();
  const app = appWith(({ exchange }, response, next) => {
    reached.resolve(exchange);
    return continueAfter(waiting.promise, response, next);
  });
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const call = get({ port: (server.address() as AddressInfo).port, path: '/errors' }).on('error', ignore);
  const exchange = await reached.promise;
  const left = once(exchange.response, 'close');
  call.destroy();
  await left;
  waiting.resolve(undefined);
  await setImmediate();
  expect([exchange.route, exchange.response.headersSent]).toEqual([undefined, false]);
  server.close();
});
