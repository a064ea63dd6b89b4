import { randomBytes } from 'node:crypto';
import type { Json } from '@boxoffice/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { listFirstCells, listMetrics, readAlerts, readDashboards, readText, toMetricName } from './documents.ts';
import {
  buy,
  cancel,
  openReceiver,
  type Received,
  type Receiver,
  readOrderLink,
  startWatchedProduct,
  type Watched,
} from './installation.ts';

let receiver: Receiver;
let watched: Watched;
let metrics: string;
/** The trace of a purchase whose client sent none. */
let sale: string;
/** Secrets of a visitor: the tokens of a session and of an order link, both used. */
let tokens: readonly string[];
let log: string;
const [traceId, parentId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];

// One installation for all tests: a partner buys and cancels, the telemetry is read, and shutdown sends the last spans.
beforeAll(async () => {
  receiver = await openReceiver();
  watched = await startWatchedProduct({
    LOG_LEVEL: 'debug',
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20of-the-receiver',
  });
  const headers = { traceparent: `00-${traceId}-${parentId}-01` };
  const { id } = await buy(watched, headers);
  await cancel(watched, id, headers);
  sale = (await buy(watched)).traceparent;
  tokens = await readOrderLink(watched);
  metrics = await watched.metrics();
  log = watched.product.output();
  await watched.product.stop();
});
afterAll(async () => {
  await receiver.close();
  await watched?.close();
});

describe('the trace of a purchase', () => {
  /** The spans below one, indented, each as its service, kind and name. */
  const tree = (parent: string, depth = 0): string[] =>
    receiver.spans
      .filter((span) => span.traceId === traceId && span.parentSpanId === parent)
      // Whether the authorizer is called depends on the identity caches.
      .filter(({ name }) => name !== 'decide' && name !== 'identifyService')
      .map((span): [string, Received] => [`${span.service}: ${KINDS[span.kind]} ${span.name}`, span])
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([line, { spanId }]) => [`${'  '.repeat(depth)}${line}`, ...tree(spanId, depth + 1)]);
  const KINDS: Readonly<Record<number, string>> = { 2: 'server', 3: 'client', 4: 'producer', 5: 'consumer' };

  test('covers gateway, services and messages to the last write', () => {
    const all = tree(parentId);
    // Each change is announced as well, and the events service makes an event of it.
    const isAnnouncement = (line: string) =>
      /publish \S+\.recorded$|process (?:events\.facts|pos\.mail)\.v1$/.test(line);
    expect(all.filter(isAnnouncement).map((line) => line.trim())).toContain('events: consumer process events.facts.v1');
    expect(all.filter((line) => !isAnnouncement(line))).toEqual([
      'gateway: server GET /svc/v3/catalog/performances/{performanceId}',
      '  catalog: server getPerformance',
      'gateway: server POST /svc/v3/orders',
      '  orders: server createOrder',
      '    orders: client holdPlaces',
      '      catalog: server holdPlaces',
      'gateway: server POST /svc/v3/orders/{orderId}/cancellation',
      '  orders: server cancelOrder',
      '    orders: client getOrderTickets',
      '      tickets: server getOrderTickets',
      '    orders: producer publish order.cancelled',
      '      catalog: consumer process catalog.releases.v1',
      '      payments: consumer process payments.orders.v1',
      '      tickets: consumer process tickets.orders.v1',
      '        tickets: producer publish tickets.cancelled',
      '          catalog: consumer process catalog.releases.v1',
      '            catalog: producer publish places.released',
      '              orders: consumer process orders.fulfilment.v1',
      '          orders: consumer process orders.fulfilment.v1',
      'gateway: server POST /svc/v3/orders/{orderId}/confirmation',
      '  orders: server confirmOrder',
      '    orders: client issueTickets',
      '      tickets: server issueTickets',
      '    orders: client sellHold',
      '      catalog: server sellHold',
      '    orders: producer publish order.confirmed',
      '      payments: consumer process payments.orders.v1',
    ]);
  });

  test('is started by the gateway, and returned, if the client sends none', () => {
    const [, own = '', root = ''] = sale.split('-');
    const mine = receiver.spans.filter((span) => span.traceId === own);
    expect(mine.find(({ parentSpanId }) => parentSpanId === '')).toMatchObject({ spanId: root, service: 'gateway' });
    expect(mine.map(({ name }) => name)).toContain('process events.facts.v1');
  });

  test('contains the decision of the authorizer', () => {
    const asked = receiver.spans.find(
      ({ name, kind, ...span }) => span.traceId === traceId && name === 'decide' && kind === 3,
    );
    const answered = receiver.spans.find(({ parentSpanId }) => parentSpanId === asked?.spanId);
    expect([asked?.service, answered?.service, answered?.name]).toEqual(['gateway', 'authorizer', 'decide']);
    expect(receiver.spans.find(({ spanId }) => spanId === asked?.parentSpanId)?.service).toBe('gateway');
  });

  test('follows the semantic conventions and contains no input of users', () => {
    const mine = receiver.spans.filter((span) => span.traceId === traceId);
    const of = (name: string) => mine.find((span) => span.name === name)?.attributes;
    expect(of('POST /svc/v3/orders')).toEqual({
      'http.request.method': 'POST',
      'http.route': '/svc/v3/orders',
      'http.response.status_code': 201,
      'url.scheme': 'https',
      'boxoffice.operation': 'createOrder',
    });
    expect(of('process orders.fulfilment.v1')).toMatchObject({
      'messaging.system': 'in_process',
      'messaging.operation.type': 'process',
      'messaging.destination.name': 'orders.fulfilment.v1',
      'messaging.message.id': expect.any(String),
    });
    expect(mine.some(({ failed }) => failed)).toBe(false);
    const keys = new Set(mine.flatMap(({ attributes }) => Object.keys(attributes)));
    expect(
      [...keys].filter((key) => !/^(http\.|messaging\.|boxoffice\.|url\.scheme$|server\.address$)/.test(key)),
    ).toEqual([]);
    expect(JSON.stringify(mine)).not.toContain('ord_');
  });

  test('contains no token of a visitor, nor do metrics and logs', () => {
    expect(receiver.spans.map(({ name }) => name)).toContain('GET /tnwr/vexp/order-links/current');
    expect(log).toContain('getLinkedOrderExperimental');
    for (const token of tokens) {
      expect(token).toMatch(/^[\w-]{43}$/);
      expect([JSON.stringify(receiver.spans), metrics, log].filter((text) => text.includes(token))).toEqual([]);
    }
  });

  test('is exported with the configured headers and without polling', () => {
    expect(new Set(receiver.headers)).toEqual(new Set(['application/json', 'Bearer of-the-receiver']));
    expect(receiver.spans.filter(({ name }) => ['describe', 'listRevocations', 'getKeys'].includes(name))).toEqual([]);
  });
});

describe('metrics', () => {
  const served = () => new Set([...metrics.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => String(name)));
  const isLibrarys = (name: string) => /^(?:process|nodejs)_/.test(name);
  /** Metrics from other sources: Prometheus itself, and the operator's file. */
  const elsewhere = () => {
    const written = readText('operator/src/check/commands.ts').matchAll(/gauge\('(\w+)'/g);
    return [...written].map(([, name]) => String(name));
  };

  test('are exactly those of the table in the documents', () => {
    const own = [...served()].filter((name) => !isLibrarys(name));
    expect(listFirstCells(readText('dashboards/README.md')).sort()).toEqual([...own, ...elsewhere()].sort());
  });

  test('count the purchase', () => {
    const value = (sample: string) =>
      Number(
        metrics
          .split('\n')
          .find((line) => line.startsWith(`${sample} `))
          ?.split(' ')
          .at(-1),
      );
    expect(value('orders_moved_total{from="confirmed",to="cancelled"}')).toBe(1);
    expect(value('orders_cancellations_open')).toBe(0);
    expect(value('gateway_requests_total{service="orders",operation="cancelOrder",status="200"}')).toBe(1);
    const answers = 'http_server_request_duration_seconds_count';
    expect(value(`${answers}{service="orders",operation="cancelOrder",status="2xx"}`)).toBe(1);
    expect(value(`${answers}{service="gateway",operation="cancelOrder",status="2xx"}`)).toBe(1);
    expect(value('queue_message_duration_seconds_count{queue="orders.fulfilment.v1",outcome="handled"}')).toBe(2);
    expect(value('queue_messages{queue="orders.fulfilment.v1",state="dead"}')).toBe(0);
    expect(value('dependency_up{service="orders",dependency="broker"}')).toBe(1);
    expect(value('certificate_expiry_timestamp_seconds{service="gateway"}')).toBeGreaterThan(Date.now() / 1_000);
    expect(value('data_directory_free_bytes')).toBeGreaterThan(0);
    expect(value('gateway_breaker_open{service="orders"}')).toBe(0);
  });

  test('have labels with few values', () => {
    const series = metrics.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    expect(series.length).toBeLessThan(5_000);
    expect(metrics).not.toMatch(/ord_|cli_|prf_/);
  });

  test('contain every metric that dashboards and alerts use', () => {
    const there = new Set([...served(), ...elsewhere(), 'up', 'ALERTS']);
    const asked = [
      ...readAlerts().map(({ alert, expr }) => [alert, expr] as const),
      ...readDashboards().flatMap(({ file, panels }) =>
        panels.flatMap(({ title, targets = [] }: Json) =>
          targets.map(({ expr }: Json) => [`${file}: ${title}`, expr] as const),
        ),
      ),
    ];
    const missing = asked.flatMap(([where, expr]) =>
      listMetrics(expr)
        .filter((name) => !there.has(name) && !there.has(toMetricName(name)))
        .map((name) => `${where} reads ${name}`),
    );
    expect(missing).toEqual([]);
    expect(() => listMetrics('sum by (service (up)')).toThrow('no PromQL');
    expect(listMetrics('rate(not_there_total{a="b"}[5m]) / up')).toEqual(['not_there_total', 'up']);
  });
});
