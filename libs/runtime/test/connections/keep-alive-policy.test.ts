import { Agent, createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CONNECTION_AGE_MS, expiryOf, isLastAnswer, isStale } from '@boxoffice/runtime';
import { describe, expect, it } from '@jest/globals';

describe('a keep-alive connection', () => {
  it('expires between half of its maximum age and the whole', () => {
    for (let times = 0; times < 100; times += 1) {
      const age = expiryOf(1_000, CONNECTION_AGE_MS) - 1_000;
      expect(age).toBeGreaterThanOrEqual(CONNECTION_AGE_MS / 2);
      expect(age).toBeLessThanOrEqual(CONNECTION_AGE_MS);
    }
  });

  it('ends with an answer that has Connection: close, in any letter case', () => {
    expect(isLastAnswer({ connection: 'close' })).toBe(true);
    expect(isLastAnswer({ connection: 'Close' })).toBe(true);
    expect(isLastAnswer({ connection: 'keep-alive' })).toBe(false);
    expect(isLastAnswer({})).toBe(false);
  });

  it('is stale only if it was reused and reset', async () => {
    let requests = 0;
    const server = createServer((received, response) => {
      requests += 1;
      // The second request of the connection gets no answer.
      if (requests === 2) received.socket.resetAndDestroy();
      else response.end('ok');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const send = () => {
      const sent = request({ host: '127.0.0.1', port, agent });
      const answer = new Promise<IncomingMessage>((resolve, reject) => {
        sent.on('response', resolve).on('error', reject);
      });
      sent.end();
      return { sent, answer };
    };
    const first = send();
    for await (const _ of await first.answer);
    const second = send();
    const error = await second.answer.then(
      () => new Error('answered'),
      (failure: Error) => failure,
    );
    expect(isStale(error, second.sent)).toBe(true);
    expect(isStale(error, first.sent)).toBe(false);
    expect(isStale(error, undefined)).toBe(false);
    expect(isStale(new Error('another'), second.sent)).toBe(false);
    agent.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
});
