import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHealth, ensureDevelopmentCertificate, listen } from '@boxoffice/runtime';
import { expect, test } from '@jest/globals';

const read = (path: string): string => readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8');

const PROGRAM = new URL('../../../../deploy/healthcheck.cjs', import.meta.url).pathname;

/** The exit status of the health check with these settings. */
const checked = async (env: Readonly<Record<string, string>>): Promise<unknown> => {
  const [status] = await once(spawn(process.execPath, [PROGRAM], { env, stdio: 'ignore' }), 'close');
  return status;
};

const nothing: RequestListener = () => undefined;

test('a ready process is healthy; a starting, silent or missing one is not', async () => {
  const health = createHealth(() => ['store']);
  const service = await listen(nothing, { host: '127.0.0.1', port: 0, health });
  const PORT = String(service.port);
  expect(await checked({ PORT })).toBe(1);
  health.ready();
  expect(await checked({ PORT })).toBe(0);
  expect(await checked({ PORT: '1', GATEWAY_HTTP_PORT: PORT, BOXOFFICE_SERVICE: 'gateway' })).toBe(0);
  await service.close(0);
  expect(await checked({ PORT })).toBe(1);
  const silent = createServer(nothing).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  expect(await checked({ PORT: String((silent.address() as AddressInfo).port) })).toBe(1);
  silent.close();
  silent.closeAllConnections();
});

test('a process that serves TLS is checked through TLS', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'boxoffice-health-'));
  const tls = await ensureDevelopmentCertificate(directory);
  rmSync(directory, { recursive: true });
  const server = createTlsServer(tls, (_, response) => response.end('{}')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const PORT = String((server.address() as AddressInfo).port);
  expect(await checked({ PORT, SERVICE_TLS_CERT_FILE: 'tls.crt' })).toBe(0);
  expect(await checked({ PORT })).toBe(1);
  server.close();
  server.closeAllConnections();
});

test('the check loads no HTTP client, and no process keeps a code cache in memory', () => {
  expect(read('deploy/healthcheck.cjs')).not.toMatch(/node:https?'/);
  for (const path of ['deploy/Dockerfile', 'deploy/build', 'deploy/systemd/boxoffice@.service'])
    expect(read(path)).not.toMatch(/COMPILE_CACHE|enableCompileCache/);
});
