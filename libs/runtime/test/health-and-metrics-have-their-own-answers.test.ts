import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  createHealth,
  createMetrics,
  type Health,
  type Listening,
  listen,
  nameOperation,
  serveOperations,
} from '../src/index.ts';

const TWO_INTERVALS_MS = 1_100;

describe('event loop lag excludes the interval', () => {
  test('the lag of the event loop excludes the interval between two measurements', async () => {
    const metrics = await createMetrics();
    /** Each scrape restarts the measurement: the next shows what came later than the first interval after it. */
    const lag = async (name: string, isWanted: (seconds: number) => boolean, busyMs = 0): Promise<void> => {
      for (let value = Number.NaN; !isWanted(value); ) {
        await pause(TWO_INTERVALS_MS);
        const busyUntil = Date.now() + busyMs;
        while (Date.now() < busyUntil) Math.sqrt(busyUntil);
        await pause(TWO_INTERVALS_MS);
        const { text } = await metrics.text();
        value = Number(new RegExp(`^nodejs_eventloop_lag_${name}_seconds (\\S+)$`, 'm').exec(text)?.[1]);
      }
    };
    // Including the interval of 500 ms, no measurement would ever be below it.
    await lag('min', (seconds) => seconds > -1 && seconds < 0.1);
    // Two samples are due meanwhile.
    await lag('max', (seconds) => seconds > 0.5 && seconds < 10, 1_200);
  }, 60_000);
});

describe('metrics have their own port', () => {
  test('/metrics serves the requests by service, and the metrics of all services of the process', async () => {
    const metrics = await createMetrics();
    const meter = { name: 'relay_published_total', help: 'x', labels: ['service'] };
    metrics.counter(meter)({ service: 'catalog' }, 2);
    metrics.counter(meter)({ service: 'contacts' });
    const options = { host: '127.0.0.1', port: 0 };
    const answer = (_request: unknown, response: ServerResponse): void => {
      nameOperation(response, 'listProducts');
      response.writeHead(204).end();
    };
    const service = await listen(answer, { ...options, observe: metrics.requests('catalog') });
    const gateway = await listen(
      (_request, response) => void fetch(service.url).then(({ status }) => response.writeHead(status).end()),
      { ...options, observe: metrics.requests('gateway') },
    );
    const operations = await serveOperations({ host: '127.0.0.1', port: 0, metrics });
    await fetch(gateway.url);
    await gateway.close();
    await service.close();

    const response = await fetch(`${operations.url}/metrics`);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=/);
    const text = await response.text();
    for (const name of ['gateway', 'catalog']) {
      const labels = `service="${name}",operation="${name === 'catalog' ? 'listProducts' : 'none'}",status="2xx"`;
      expect(text).toContain(`http_server_request_duration_seconds_count{${labels}} 1`);
    }
    expect(text).toContain('relay_published_total{service="catalog"} 2');
    expect(text).toContain('relay_published_total{service="contacts"} 1');
    expect(text).toContain('process_resident_memory_bytes');
    expect((await fetch(`${operations.url}/other`)).status).toBe(404);
    await operations.close();
  });

  test('a gauge is read at each scrape, by every service that contributes to it', async () => {
    const metrics = await createMetrics();
    const meter = { name: 'open_things', help: 'x', labels: ['service'] };
    let readings = 0;
    metrics.watch(meter, async () => [{ value: ++readings, labels: { service: 'catalog' } }]);
    metrics.watch(meter, () => [{ value: 7, labels: { service: 'orders' } }]);
    metrics.watch({ name: 'lost_things', help: 'x' }, () => Promise.reject(new Error('not known')));
    metrics.watch({ name: 'no_things', help: 'x', labels: ['service'] }, () => []);
    const lines = async () => (await metrics.text()).text.split('\n').filter((line) => line.includes('_things'));
    const expected = (count: number) => [
      '# HELP open_things x',
      '# TYPE open_things gauge',
      `open_things{service="catalog"} ${count}`,
      'open_things{service="orders"} 7',
      '# HELP lost_things x',
      '# TYPE lost_things gauge',
      '# HELP no_things x',
      '# TYPE no_things gauge',
    ];
    expect(readings).toBe(0);
    expect(await lines()).toEqual(expected(1));
    expect(await lines()).toEqual(expected(2));
  });
});

let health: Health;
let listening: Listening;

beforeAll(async () => {
  health = createHealth(() => ['demo data']);
  listening = await listen((_request, response) => response.writeHead(418).end(), {
    host: '127.0.0.1',
    port: 0,
    health,
  });
});
afterAll(() => listening.close());

const ask = async (path: string, method = 'GET') => {
  const response = await fetch(`${listening.url}/health/${path}`, { method });
  return [response.status, await response.text()];
};

describe('health', () => {
  test('is live at once, and ready when every check passes', async () => {
    expect(await ask('live')).toEqual([200, '{"status":"ok"}']);
    expect(await ask('ready')).toEqual([503, '{"status":"starting","waitingFor":["demo data"]}']);

    let connected = false;
    health.ready({
      store: async () => undefined,
      broker: () => (connected ? Promise.resolve() : Promise.reject(new Error('no broker'))),
    });
    expect(await ask('ready')).toEqual([503, '{"status":"starting","waitingFor":["broker"]}']);
    connected = true;
    expect(await ask('ready?deep=1')).toEqual([200, '{"status":"ok"}']);
    expect(await ask('ready', 'HEAD')).toEqual([200, '']);

    health.stopping();
    expect(await ask('ready')).toEqual([503, '{"status":"stopping","waitingFor":[]}']);
    expect(await ask('live')).toEqual([200, '{"status":"ok"}']);
  });

  test('does not handle other paths and methods', async () => {
    expect(await ask('other')).toEqual([418, '']);
    expect(await ask('ready', 'POST')).toEqual([418, '']);
  });
});
