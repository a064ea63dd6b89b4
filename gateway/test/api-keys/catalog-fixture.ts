import type { GatewayOptions } from '../../src/index.ts';
import { catalog as description } from '../fixtures/describe.ts';
import type { Call, Reply } from '../fixtures/http.ts';
import { type Installation, startInstallation } from '../fixtures/installation.ts';
import { startUpstream, type Upstream } from '../fixtures/upstream.ts';

export const CATALOG = '/svc/v3/catalog';
export const TARIFFS = '/svc/v3/catalog/tariffs';

/** A gateway with a catalog that has public operations. */
export interface CatalogInstallation extends Installation {
  readonly catalog: Upstream;
  /** A request with this API key. */
  withKey(key: string, path?: string, call?: Call): Promise<Reply>;
}

/** Starts it. */
export const startCatalogInstallation = async (
  options: Partial<GatewayOptions> = {},
  more: Parameters<typeof startInstallation>[1] = {},
): Promise<CatalogInstallation> => {
  const catalog = await startUpstream(description);
  const gateway = await startInstallation(options, { ...more, services: { catalog: catalog.url } });
  return {
    ...gateway,
    catalog,
    withKey: (key, path = CATALOG, call = {}) =>
      gateway.call(path, { ...call, headers: { 'x-api-key': key, ...call.headers } }),
    async close() {
      await gateway.close();
      await catalog.close();
    },
  };
};
