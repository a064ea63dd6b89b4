import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createEnvelope, describeBehindProxy, LIST, startBehind } from '../fixtures/behind-a-proxy.ts';
import type { ProxyProgram } from '../fixtures/proxies.ts';

const server = (port: number): string => `server 127.0.0.1:${port}`;

const nginx: ProxyProgram = {
  command: 'nginx',
  configuration: 'nginx.conf',
  adapt: ({ port, gatewayPort, certificate, key, inside }) => ({
    'listen 8443': `listen 127.0.0.1:${port}`,
    'server gateway:8080': server(gatewayPort),
    '/tls/fullchain.pem': certificate,
    '/tls/privkey.pem': key,
    '/tmp/nginx': inside,
    'worker_processes auto': 'worker_processes 1',
  }),
  args: (configuration) => ['-c', configuration, '-g', 'daemon off;'],
};

describeBehindProxy(nginx, server, [502]);

describe.each(['HTTP/1.1', 'HTTP/2'] as const)('what nginx refuses itself, over %s', (version) => {
  let behind: Awaited<ReturnType<typeof startBehind>>;
  beforeAll(async () => {
    behind = await startBehind();
  });
  afterAll(() => behind.close());

  const oauth = (error: string) => ({ error, error_description: expect.any(String) });

  test('429 has the shape of its family, and the members of OAuth where tokens are made', async () => {
    const call = await behind.clientOf(version, nginx, { 'rate=100r/s': 'rate=1r/m', 'burst=400': 'burst=1' });
    for (const _ of [1, 2]) expect((await call('/errors')).status).toBe(200);
    const refused = createEnvelope('too_many_requests');
    for (const [path, expected] of [
      [LIST, refused],
      ['/auth/tokens', refused],
      ['/auth/token', { ...refused, ...oauth('temporarily_unavailable') }],
      ['/auth/introspect?x', { ...refused, ...oauth('temporarily_unavailable') }],
      ['/tnwr/v1/products', { success: false, errorCode: 'too_many_requests', errorMessage: expect.any(String) }],
    ] as const) {
      const reply = await call(path);
      expect([path, reply.status, reply.body]).toEqual([path, 429, expected]);
    }
  });
});
