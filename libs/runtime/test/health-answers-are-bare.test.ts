import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createHealth, type Health, type Listening, listen } from '../src/index.ts';

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
