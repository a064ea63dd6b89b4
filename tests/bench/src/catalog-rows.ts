import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { authorizationOf, openClient } from '@boxoffice/testkit';
import { apply } from './client/load.ts';
import { startProduct } from './measure/product.ts';

/** Requests per second and p99 of the opera's whole catalogue through the gateway, as 200 and as 304. */
export const catalogRows = async (progress: (line: string) => void): Promise<(string | number)[][]> => {
  progress('the catalogue of 254 shows, through the gateway');
  const directory = mkdtempSync(join(tmpdir(), 'boxoffice-bench-'));
  // The plain listener stands in for a TLS-terminating balancer: the load generator then spends nothing on TLS.
  const product = await startProduct(directory, {
    TRUST_PROXY: '1',
    RATE_LIMIT_PER_MINUTE: '100000000',
    ADDRESS_LIMIT_PER_MINUTE: '100000000',
  });
  const proto = { 'x-forwarded-proto': 'https' };
  const client = openClient({ baseUrl: product.httpUrl }, { headers: proto });
  const authorization = await authorizationOf(client, product.client('full'));
  const url = `${product.httpUrl}/svc/v3/catalog`;
  const headers = { ...proto, authorization, 'accept-encoding': 'gzip' };
  const etag = String((await client('/svc/v3/catalog', { headers })).headers.etag);
  const full = await apply({ url, connections: 16, seconds: 4, headers });
  const unchanged = await apply({ url, connections: 16, seconds: 4, headers: { ...headers, 'if-none-match': etag } });
  await product.stop();
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  return [
    ['GET /catalog 200, per second and p99 ms', full.rate, full.p99],
    ['GET /catalog 304, per second and p99 ms', unchanged.rate, unchanged.p99],
  ];
};
