import { connect, type Socket } from 'node:net';
import { beforeEach, describe, expect, test } from '@jest/globals';
import * as descriptions from '../fixtures/describe.ts';
import { exchangeBytes, flood, formatRequest, parseStatuses, runAtOneMoment, waitUntil } from '../fixtures/http.ts';
import { startInstallation, useFixture } from '../fixtures/installation.ts';
import { type Answering, echo, sendJson, startUpstream, type Upstream } from '../fixtures/upstream.ts';

/** Requests that a service may have in flight. */
const CONCURRENCY = 600;
/** The twentieth that one caller may have. Half of them is what all callers of an institution may have. */
const MOST = 30;

/** Requests that a client of the test pipelines. */
const PIPELINED = 10;

const events = useFixture(() => startUpstream(descriptions.events));
const its = useFixture(() =>
  startInstallation({ trustProxy: ['127.0.0.0/8'], concurrency: CONCURRENCY }, { services: { events: events.url } }),
);

describe('a caller does not take all slots', () => {
  const LIST = '/svc/v3/contacts/individuals';
  const SESSIONS = '/tnwr/v1/sessions';

  beforeEach(() => {
    its.contacts.answer(echo);
  });

  let held: (() => void)[];
  /** Holds the requests with If-None-Match until the test answers them. */
  const holding = (upstream: Upstream, answer: Answering = echo): void => {
    held = [];
    upstream.answer((request, response, raw) => {
      if (request.headers['if-none-match'] === undefined) answer(request, response, raw);
      else held.push(() => answer(request, response, raw));
    });
  };

  const ofShop = (address: string, length: number): string[] => [
    `X-Forwarded-For: ${address}`,
    'Content-Type: application/json',
    `Content-Length: ${length}`,
  ];

  describe('requests that a service does not answer', () => {
    test('are at most a twentieth per client and user; others are answered, and it again once they end', async () => {
      const [token, other] = [its.authorizer.token(['contacts:read']), its.authorizer.token(['contacts:read'])];
      holding(its.contacts);
      const call = its.as(token);
      const waiting = Array.from({ length: MOST }, () => call(LIST, { headers: { 'if-none-match': '"1"' } }));
      await waitUntil(() => held.length === MOST);
      const refused = await call(LIST);
      expect([refused.status, refused.body.status]).toEqual([429, 'too_many_requests']);
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
      expect((await its.as(other)(LIST)).status).toBe(200);
      for (const answer of held) answer();
      expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(waiting.map(() => 200));
      expect((await call(LIST)).status).toBe(200);
    });

    test('are released when their client leaves', async () => {
      holding(its.contacts);
      const token = its.authorizer.token(['contacts:read']);
      const head = formatRequest('GET', LIST, [`Authorization: Bearer ${token}`, 'If-None-Match: "1"']);
      const sockets = Array.from({ length: MOST }, (): Socket => {
        const socket = connect({ port: its.gateway.httpPort, host: '127.0.0.1' });
        socket.write(head);
        return socket;
      });
      await waitUntil(() => held.length === MOST);
      expect((await its.as(token)(LIST)).status).toBe(429);
      for (const socket of sockets) socket.destroy();
      await waitUntil(async () => (await its.as(token)(LIST)).status === 200);
    });
  });

  describe('of one institution', () => {
    /** Callers that can have more than half together. */
    const CALLERS = CONCURRENCY / 2 / MOST + 1;

    /** Requests that hold slots until the test answers them; answers are counted by status. */
    const hold = (all: readonly (readonly string[])[], path: string) => {
      const head = (lineOf: readonly string[]) =>
        formatRequest('GET', path, [...lineOf, 'If-None-Match: "1"']).repeat(PIPELINED);
      const each = all.flatMap((one) => Array.from({ length: MOST / PIPELINED }, () => head(one)));
      return flood(its.gateway.httpPort, each.length, (index) => each[index] ?? '');
    };
    /** As the service of points of sale, which knows whose they are. */
    const answer: Answering = (request, response) => {
      const [institution] = String(request.headers['x-service-host']).split('.');
      sendJson(response, 200, { success: true, data: {} }, { 'X-Internal-Institution': String(institution) });
    };
    const release = (close: () => void): void => {
      for (const end of held) end();
      close();
    };

    test('are at most half, whatever its clients; another one is answered, and it again once they end', async () => {
      holding(its.contacts, answer);
      const tokenOf = (institution: string) => its.authorizer.token(['contacts:read'], { institution });
      const tokens = Array.from({ length: CALLERS }, () => tokenOf('opera'));
      const { count, close } = hold(
        tokens.map((token) => [`Authorization: Bearer ${token}`]),
        LIST,
      );
      await waitUntil(() => held.length + count('429') === CALLERS * MOST);
      expect([held.length, count('429')]).toEqual([CONCURRENCY / 2, MOST]);
      expect((await its.as(tokenOf('opera'))(LIST)).status).toBe(429);
      expect((await its.as(tokenOf('museum'))(LIST)).status).toBe(200);
      release(close);
      await waitUntil(async () => (await its.as(tokenOf('opera'))(LIST)).status === 200);
    });

    test('are those of its points of sale, by what their service says; those that it does not know share a half', async () => {
      holding(its.pos, answer);
      const PRODUCTS = '/tnwr/v1/products';
      const of = (host: string, network: number) => [`X-Service-Host: ${host}`, `X-Forwarded-For: 192.0.2.${network}`];
      const statusAt = async (host: string, network: number): Promise<number> => {
        const headers = { 'x-service-host': host, 'x-forwarded-for': `192.0.2.${network}` };
        return (await its.call(PRODUCTS, { headers })).status;
      };
      for (const host of ['opera.one', 'opera.two', 'museum.one']) expect(await statusAt(host, 1)).toBe(200);
      const visitors = Array.from({ length: CALLERS }, (_, index) => index + 10);
      const known = hold(
        visitors.map((network) => of(network % 2 === 0 ? 'opera.one' : 'Opera.TWO', network)),
        PRODUCTS,
      );
      await waitUntil(() => held.length + known.count('429') === CALLERS * MOST);
      expect(held.length).toBe(CONCURRENCY / 2);
      expect([await statusAt('opera.one', 1), await statusAt('museum.one', 1)]).toEqual([429, 200]);
      release(known.close);
      await waitUntil(async () => (await statusAt('opera.two', 1)) === 200);

      held = [];
      const invented = hold(
        visitors.map((network) => of(`invented-${network}.example`, network)),
        PRODUCTS,
      );
      await waitUntil(() => held.length + invented.count('429') === CALLERS * MOST);
      expect(held.length).toBe(CONCURRENCY / 2);
      expect(await statusAt('opera.one', 1)).toBe(200);
      release(invented.close);
    });
  });

  test('bodies that never come hold nothing of a service, and at most so many of an address are waited for', async () => {
    const started = its.pos.started();
    const head = formatRequest('POST', SESSIONS, ofShop('192.0.2.7', 50));
    const { count, close } = flood(its.gateway.httpPort, CONCURRENCY + 20, () => head);
    await waitUntil(() => count('429') === CONCURRENCY + 20 - MOST);
    expect(its.pos.started()).toBe(started);
    const other = formatRequest('POST', SESSIONS, [...ofShop('198.51.100.9', 2), 'Connection: close']);
    expect(parseStatuses(await exchangeBytes(its.gateway.httpPort, `${other}{}`))).toEqual(['200']);
    close();
  });

  test('of bodies that hold too much memory together, the oldest are refused, and others are answered', async () => {
    const size = 250_000;
    // 64 MiB, of several callers.
    const fit = Math.floor((64 * 1024 * 1024) / size);
    const body = 'x'.repeat(size);
    const { count, close } = flood(
      its.gateway.httpPort,
      fit + 12,
      (index) => formatRequest('POST', SESSIONS, ofShop(`192.0.2.${100 + (index % MOST)}`, size + 1)) + body,
    );
    // Family B answers 500 for what is 503 in family A.
    await waitUntil(() => count('500') === 12);
    const other = formatRequest('POST', SESSIONS, [...ofShop('198.51.100.9', size), 'Connection: close']);
    expect(parseStatuses(await exchangeBytes(its.gateway.httpPort, other + body))).toEqual(['200']);
    close();
  });
});

describe('requests that wait hold no slot', () => {
  const EVENTS = '/svc/v3/events';
  /** However it is written. */
  const WAIT = `${EVENTS}?after=start&w%61it=30`;
  /** More than the requests that a service may have in flight. */
  const FLOOD = CONCURRENCY + MOST;

  let waiting = 0;
  beforeEach(() => {
    waiting = 0;
    events.answer((request, response, raw) => {
      if (new URL(request.url, 'http://a').searchParams.has('wait')) waiting += 1;
      else echo(request, response, raw);
    });
  });

  const tokenOf = (institution: string): string => its.authorizer.token(['events:read'], { institution });
  const pipelined = (token: string, count: number): string =>
    formatRequest('GET', WAIT, [`Authorization: Bearer ${token}`]).repeat(count);

  /** The statuses of events and webhooks with a token. */
  const statusesFor = async (token: string): Promise<number[]> => {
    const call = its.as(token);
    return [(await call(EVENTS)).status, (await call('/svc/v3/webhooks')).status];
  };

  test('of one caller a twentieth wait, and another institution is answered', async () => {
    const { close } = flood(its.gateway.httpPort, 1, () => pipelined(tokenOf('opera'), FLOOD));
    await waitUntil(() => waiting === MOST);
    expect(await statusesFor(tokenOf('ballet'))).toEqual([200, 200]);
    expect(waiting).toBe(MOST);
    close();
  });

  test.each([
    ['each on a connection of its own', 1],
    ['all on one connection', PIPELINED],
  ])('whose connection breaks end at once, with their requests at the service: %s', (_, each) =>
    // The clock stands, so nothing ends because its time is over.
    runAtOneMoment(async () => {
      let open = 0;
      events.answer((_request, response) => {
        open += 1;
        response.on('close', () => {
          open -= 1;
        });
      });
      const token = tokenOf('opera');
      const { close } = flood(its.gateway.httpPort, MOST / each, () => pipelined(token, each));
      await waitUntil(() => open === MOST);
      expect((await its.as(token)(WAIT)).status).toBe(429);
      close();
      await waitUntil(() => open === 0);
      const again = its.as(token)(WAIT);
      await waitUntil(() => open === 1);
      events.cut();
      expect((await again).status).toBe(502);
    }),
  );

  test('more than fit of several callers wait; these callers and others are answered, and none has more than its part', async () => {
    const tokens = Array.from({ length: FLOOD / MOST }, () => tokenOf('opera'));
    const { close } = flood(its.gateway.httpPort, FLOOD / PIPELINED, (index) =>
      pipelined(tokens[index % tokens.length] ?? '', PIPELINED),
    );
    await waitUntil(() => waiting === FLOOD);
    const [one = ''] = tokens;
    const refused = await its.as(one)(WAIT);
    expect([refused.status, refused.body.status]).toEqual([429, 'too_many_requests']);
    expect(await statusesFor(one)).toEqual([200, 200]);
    expect(await statusesFor(tokenOf('ballet'))).toEqual([200, 200]);
    close();
  });
});
