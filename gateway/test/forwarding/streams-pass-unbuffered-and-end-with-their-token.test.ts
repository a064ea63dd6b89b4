import type { ServerResponse } from 'node:http';
import { get } from 'node:https';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { until } from '../fixtures/http.ts';
import { type Installation, startInstallation } from '../fixtures/installation.ts';
import { json } from '../fixtures/upstream.ts';

const PATH = '/svc/v3/contacts/changes';
/** Far below what the operation claims, and below the life of the streams here. */
const TIMEOUTS = { answer: 300, total: 600 };
const PROMISED_MS = 5_000;

let its: Installation;
beforeAll(async () => {
  its = await startInstallation({ timeouts: TIMEOUTS });
});
afterAll(() => its.close());

/** A stream as its client sees it; `service` is the open response of the service. */
const follow = async (token: string) => {
  let service: ServerResponse | undefined;
  its.contacts.answer((_, response) => {
    service = response;
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write(': \n\n');
  });
  const seen = { text: '', ended: false, broken: false };
  const outgoing = get(
    `${its.gateway.httpsUrl}${PATH}`,
    { rejectUnauthorized: false, headers: { authorization: `Bearer ${token}`, host: 'boxoffice.example' } },
    (reply) => {
      reply.setEncoding('utf8');
      reply.on('data', (chunk: string) => {
        seen.text += chunk;
      });
      reply.on('end', () => {
        seen.ended = true;
      });
      reply.on('error', () => {
        seen.broken = true;
      });
    },
  );
  outgoing.on('error', () => {
    seen.broken = true;
  });
  await until(() => seen.text === ': \n\n');
  if (!service) throw new Error('the service got no request');
  return { seen, service, leave: () => outgoing.destroy() };
};

test('each piece arrives before the next is written, and no time limit ends the stream', async () => {
  const { seen, service, leave } = await follow(its.authorizer.token(['contacts:read']));
  // Together longer than every limit.
  for (let piece = 0; piece < 36; piece += 1) {
    service.write(`data: ${piece}\n\n`);
    await until(() => seen.text.endsWith(`data: ${piece}\n\n`));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect(seen).toMatchObject({ ended: false, broken: false });
  leave();
  await until(() => service.destroyed);
});

test('an operation that says so may take longer to answer', async () => {
  its.contacts.answer((_, response) => void setTimeout(() => json(response, 200, {}), 2 * TIMEOUTS.total));
  const { status } = await its.as(its.authorizer.token(['contacts:read']))(PATH);
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

test('a stream ends within five seconds after its token is revoked or loses a scope, whichever it is', async () => {
  const tokens = ends.map(() => its.authorizer.token(['contacts:read', 'events:read']));
  const streams: Awaited<ReturnType<typeof follow>>[] = [];
  for (const token of tokens) streams.push(await follow(token));
  for (const [index, end] of ends.entries()) end(tokens[index] ?? '');
  await until(() => streams.every(({ seen }) => seen.ended), 2 * PROMISED_MS);
  for (const { seen } of streams) expect(seen.broken).toBe(false);
  await until(() => streams.every(({ service }) => service.destroyed));
});

test('a request that waits is refused within five seconds after its token is worth less', async () => {
  // Never answered by the service.
  let waiting = 0;
  its.contacts.answer(() => {
    waiting += 1;
  });
  const tokens = ends.map(() => its.authorizer.token(['contacts:read', 'events:read']));
  const answers = tokens.map((token) => its.as(token)(`${PATH}?wait=20`));
  await until(() => waiting === tokens.length);
  for (const [index, end] of ends.entries()) end(tokens[index] ?? '');
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  expect(statuses).toEqual([401, 403, 503]);
});

test('a stream ends when its token expires', async () => {
  const exp = Math.floor(Date.now() / 1_000) + 3;
  const { seen } = await follow(its.authorizer.token(['contacts:read'], { exp }));
  await until(() => seen.ended, 2 * PROMISED_MS);
  expect(seen.broken).toBe(false);
});
