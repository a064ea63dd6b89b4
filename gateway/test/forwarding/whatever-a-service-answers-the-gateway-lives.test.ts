// rule 7: 502 `bad_gateway`: upstream error propagated | gateway/src/forwarding/receive.ts
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createFixedServices, parseRows } from '@boxoffice/runtime/services';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { contacts, createDocument, pos } from '../fixtures/describe.ts';
import { type Call, type Reply, waitUntil } from '../fixtures/http.ts';
import { type Installation, startInstallation } from '../fixtures/installation.ts';

/** The bytes of an answer, and what becomes of the connection then. */
interface Raw {
  readonly bytes: string;
  readonly after: 'keep' | 'end' | 'reset';
}

const GOOD: Raw = {
  bytes: 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}',
  after: 'keep',
};

const asJson = (body: string): Raw => ({
  bytes: `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  after: 'keep',
});

/** A service with a description that answers other requests with bytes. */
const startRaw = async (document: object) => {
  const described = asJson(JSON.stringify(document));
  let answer = GOOD;
  let description = described;
  let descriptions = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.on('data', (data) => {
      const [, own] = /^GET \/(openapi\.json|health)/.exec(data.toString('latin1')) ?? [];
      if (own === 'openapi.json') descriptions += 1;
      const { bytes, after } = own === undefined ? answer : own === 'health' ? described : description;
      socket.write(bytes, 'latin1', () => {
        if (after === 'end') socket.end();
        if (after === 'reset') socket.resetAndDestroy();
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answers: (next: Raw) => {
      answer = next;
    },
    /** Sends this as the description, until it was read twice. */
    describes: async (next: Raw) => {
      description = next;
      const before = descriptions;
      await waitUntil(() => descriptions >= before + 2);
      description = described;
    },
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
};

type RawService = Awaited<ReturnType<typeof startRaw>>;

/** Whose answer it is: an operation of each family, and a page of a team. */
const TARGETS = {
  A: { path: '/svc/v3/contacts/individuals', badGateway: 502 },
  B: { path: '/tnwr/v1/products', badGateway: 500 },
  page: { path: '/loyalty/page', badGateway: 502 },
} as const;

type Target = keyof typeof TARGETS;

let its: Installation;
let services: Record<Target, RawService>;
let token: string;
beforeAll(async () => {
  const [a, b, page] = await Promise.all([startRaw(contacts), startRaw(pos), startRaw(createDocument([]))]);
  services = { A: a, B: b, page };
  const row = { name: 'loyalty', url: page.url, prefixes: ['/loyalty'], pages: ['/loyalty'] };
  its = await startInstallation(
    {
      serviceList: createFixedServices(parseRows(JSON.stringify([row]))),
      timeouts: { answer: 1_500, total: 3_000 },
    },
    { services: { contacts: a.url, pos: b.url } },
  );
  token = its.authorizer.token(['contacts:read']);
  await waitUntil(async () => (await send('page')).status === 200);
});
afterAll(async () => {
  await its.close();
  for (const service of Object.values(services)) service.close();
});

const send = (target: Target, call: Call = {}) => {
  const ask = target === 'A' ? its.as(token) : its.call;
  return ask(TARGETS[target].path, call);
};

/** The status of the answer; 0 for one that was cut off. */
const outcome = async (target: Target, answer: Raw, call?: Call): Promise<Reply> => {
  services[target].answers(answer);
  try {
    return await send(target, call);
  } catch {
    return { status: 0, headers: {}, text: '', body: {} };
  } finally {
    services[target].answers(GOOD);
    // One failure does not open the breaker, and a success forgets it.
    await waitUntil(async () => (await send(target)).status === 200);
  }
};

const head = (status: string, headers: readonly string[] = []): string =>
  `${[`HTTP/1.1 ${status} X`, ...headers].join('\r\n')}\r\n\r\n`;

const JSON_2 = ['Content-Type: application/json', 'Content-Length: 2'];

describe.each(Object.keys(TARGETS) as Target[])('an answer that is none is bad_gateway: %s', (target) => {
  const { badGateway } = TARGETS[target];

  test.each(['000', '001', '099', '600', '999'])('the status %s', async (status) => {
    const { status: sent } = await outcome(target, { bytes: `${head(status, JSON_2)}{}`, after: 'keep' });
    expect(sent).toBe(badGateway);
  });

  test.each(['keep', 'end', 'reset'] as const)('101, which nobody asked for: %s', async (after) => {
    const bytes = `${head('101', ['Connection: Upgrade', 'Upgrade: other'])}bytes of another protocol`;
    expect((await outcome(target, { bytes, after })).status).toBe(badGateway);
  });

  test('an interim status, and nothing after it', async () => {
    expect((await outcome(target, { bytes: head('199'), after: 'keep' })).status).toBe(badGateway);
  });

  test('an interim status before the answer does not matter', async () => {
    const bytes = `${head('103', ['Link: </x>; rel=preload'])}${head('200', JSON_2)}{}`;
    expect((await outcome(target, { bytes, after: 'keep' })).status).toBe(200);
  });
});

test('the error has the form of its family, and the log says what was wrong', async () => {
  const bytes = `${head('099', JSON_2)}{}`;
  const { body: a } = await outcome('A', { bytes, after: 'keep' });
  expect(a).toEqual({ status: 'bad_gateway', details: expect.any(String), data: null });
  const { body: b } = await outcome('B', { bytes, after: 'keep' });
  expect(b).toMatchObject({ success: false, errorCode: expect.any(String), userLoggedOut: false });
  expect(its.log).toContainEqual(
    expect.objectContaining({ upstream: 'contacts', code: 'foreign_reply', reason: 'its status is 99' }),
  );
});

test('a length that a 204 must not have does not reach the client', async () => {
  const { status, headers } = await outcome('A', { bytes: head('204', ['Content-Length: 5']), after: 'keep' });
  expect([status, headers['content-length']]).toEqual([204, undefined]);
});

test('of two media types the one that was judged reaches the client', async () => {
  const types = ['Content-Type: application/json', 'Content-Type: text/html', 'Content-Length: 2'];
  const { status, headers } = await outcome('A', { bytes: `${head('200', types)}{}`, after: 'keep' });
  expect([status, headers['content-type']]).toEqual([200, 'application/json']);
});

test.each<[string, Raw]>([
  ...['000', '099', '199', '304', '600', '999'].map((code): [string, Raw] => [
    `the status ${code}`,
    { bytes: `${head(code, JSON_2)}{}`, after: 'end' },
  ]),
  ['a switch of protocols', { bytes: head('101', ['Connection: Upgrade', 'Upgrade: other']), after: 'end' }],
  ['what is no HTTP', { bytes: 'rubbish\r\n\r\n', after: 'reset' }],
  ...[
    'null',
    '[]',
    '{"openapi": "3.1.0", "paths": {"/svc/v3/contacts/x": null}}',
    '{"openapi": "3.1.0", "paths": {"/svc/v3/contacts/x": {"get": 1}}}',
    '{"openapi": "3.1.0", "paths": {"/svc/v3/contacts/x": {"get": {"operationId": "x", "security": 5}}}}',
    '{"openapi": "3.1.0", "paths": {"/svc/v3/contacts/x": {"get": {"operationId": "x", "parameters": ["y"]}}}}',
  ].map((text): [string, Raw] => [text, asJson(text)]),
])('a description that is none changes nothing: %s', async (_, raw) => {
  await services.A.describes(raw);
  await waitUntil(async () => (await send('A')).status === 200);
  expect((await its.call('/openapi.json')).status).toBe(200);
});

const status = fc.oneof(
  fc.constantFrom(
    '000',
    '099',
    '100',
    '101',
    '102',
    '199',
    '200',
    '204',
    '205',
    '302',
    '304',
    '500',
    '599',
    '600',
    '999',
  ),
  fc.integer({ min: 0, max: 999 }).map((code) => `${code}`.padStart(3, '0')),
);

const name = fc.oneof(
  fc.constantFrom('Content-Type', 'Location', 'Vary', 'Link', 'Set-Cookie', 'Connection', 'Upgrade', 'Trailer', 'ETag'),
  fc.constantFrom(
    'Transfer-Encoding',
    'Content-Length',
    'Keep-Alive',
    'Retry-After',
    'Date',
    'constructor',
    '__proto__',
  ),
  fc.constantFrom('X-auth-token', 'X-Internal-Keep', 'Access-Control-Allow-Origin', 'X-Loyalty'),
);

const value = fc.oneof(
  fc.constantFrom('', 'application/json', 'text/event-stream', 'text/html', 'chunked', 'close', 'Upgrade', '-1', '1e9'),
  fc.constantFrom(
    '\xe9\xff',
    '\t',
    ',',
    '"',
    'x'.repeat(9_000),
    '//elsewhere.example',
    'ETag, Vary',
    '99999999999999999',
  ),
  fc.string({ maxLength: 20 }).map((text) => text.replaceAll(/[^\x20-\x7e]/g, '')),
);

const answer = fc.record({
  status,
  headers: fc.array(
    fc.tuple(name, value).map((pair) => pair.join(': ')),
    { maxLength: 6 },
  ),
  body: fc.constantFrom('', '{}', '2\r\n{}\r\n0\r\n\r\n', '2\r\n{}\r\n0\r\nX-Trailer: 1\r\n\r\n', '{'.repeat(20_000)),
  length: fc.constantFrom(undefined, 0, 1, 2, 100, 20_000),
  after: fc.constantFrom('keep', 'end', 'end', 'reset'),
});

test('whatever a service answers is passed on, replaced or cut off, and the next request is answered', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom<Target>('A', 'B', 'page'),
      fc.constantFrom('GET', 'HEAD'),
      answer,
      async (target, method, { status: code, headers, body, length, after }) => {
        const more = length === undefined ? headers : [...headers, `Content-Length: ${length}`];
        const reply = await outcome(
          target,
          { bytes: head(code, more) + body, after: after as Raw['after'] },
          { method },
        );
        const { badGateway } = TARGETS[target];
        expect([0, badGateway, 503, Number(code)]).toContain(reply.status);
        if (reply.status !== 0) expect(reply.status).toBeGreaterThanOrEqual(200);
        expect(reply.status).toBeLessThan(600);
        for (const one of ['x-internal-keep', 'x-loyalty']) expect(Object.keys(reply.headers)).not.toContain(one);
      },
    ),
    { numRuns: 100 },
  );
  expect((await its.call('/errors')).status).toBe(200);
});
