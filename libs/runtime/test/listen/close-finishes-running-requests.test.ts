import { once } from 'node:events';
import { Agent, get, type ServerResponse } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { listen } from '../../src/index.ts';

describe('close', () => {
  test('accepts no more requests, and lets the running one finish', async () => {
    const arrived = Promise.withResolvers<ServerResponse>();
    const listening = await listen((_request, response) => arrived.resolve(response), { host: '127.0.0.1', port: 0 });
    const answer = fetch(listening.url).then((response) => response.text());
    const response = await arrived.promise;
    const closed = listening.close();
    await expect(fetch(listening.url)).rejects.toThrow();
    response.end('finished');
    expect(await answer).toBe('finished');
    await closed;
  });

  test('does not wait for idle connections', async () => {
    const listening = await listen((_request, response) => response.end(), { host: '127.0.0.1', port: 0 });
    const agent = new Agent({ keepAlive: true });
    const [response] = await once(get(listening.url, { agent }), 'response');
    response.resume();
    await once(response, 'close');
    await listening.close();
    agent.destroy();
  });

  test('aborts a request that outlasts the grace period', async () => {
    const arrived = Promise.withResolvers<void>();
    const listening = await listen(() => arrived.resolve(), { host: '127.0.0.1', port: 0 });
    const answer = fetch(listening.url);
    const failed = expect(answer).rejects.toThrow();
    await arrived.promise;
    await listening.close(20);
    await failed;
  });
});
