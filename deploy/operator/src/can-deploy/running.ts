import type { Release } from '@boxoffice/contracts';
import { broadcastsOf, callsOf, queuesOf, type ServiceRow } from '@boxoffice/runtime/services';
import { type Address, atEachInstance, fetchJson, reasonOf } from '../status/probe.ts';

/** A release that runs, as one of its instances describes it. */
export interface Running extends Release {
  /** The address of the instance. */
  readonly at: string;
  /** Whether it says what its internal operations and facts are; releases before 0.3.0 do not. */
  readonly isWhole: boolean;
}

/** An instance that gave no description, and the reason. */
export interface Unreached {
  readonly service: string;
  readonly at: string;
  readonly reason: string;
}

export const isUnreached = (one: Running | Unreached): one is Unreached => 'reason' in one;

interface Served {
  readonly info?: { readonly version?: unknown };
  readonly paths?: object;
  readonly components?: object;
  readonly 'x-publishes'?: Release['publishes'];
  readonly 'x-consumes'?: Release['consumes'];
  readonly 'x-calls'?: Release['calls'];
  readonly 'x-permits'?: Release['permits'];
}

/** A served document with what the comparison needs of one; a service of a team's own may leave members out. */
const descriptionIn = ({ info, paths = {}, components = {} }: Served): Release['openapi'] => ({
  info: { version: String(info?.version ?? 'without a version') },
  components: components as Release['openapi']['components'],
  paths: Object.fromEntries(
    Object.entries(paths).map(([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries(item as object)
          .filter(([, operation]) => operation?.responses !== undefined)
          .map(([method, operation]) => [method, { operationId: `${method} ${path}`, security: [], ...operation }]),
      ),
    ]),
  ),
});

/** What the services list says of a process: for one that does not say so itself. */
export const listedOf = (row: ServiceRow): Pick<Release, 'consumes' | 'calls'> => ({
  calls: callsOf(row),
  consumes: {
    ...Object.fromEntries(queuesOf(row).map(({ queue, facts }) => [queue, facts])),
    ...(broadcastsOf(row).length > 0 && { broadcast: broadcastsOf(row) }),
  },
});

/** Reads the descriptions of every instance at an address. Never rejects. */
export const readReleases = async (
  address: Address,
  row: ServiceRow,
  callers: string,
): Promise<(Running | Unreached)[]> => {
  const { service, url, versionUrl = url, ca } = address;
  const get = async (path: string, ip: string): Promise<Served | undefined> => {
    const { status, body } = await fetchJson(new URL(path, versionUrl), ip, ca);
    return status === 200 && typeof body === 'object' && body !== null ? body : undefined;
  };
  const read = async (ip: string): Promise<Running | Unreached> => {
    const at = `${ip}:${new URL(versionUrl).port || (versionUrl.startsWith('https') ? '443' : '80')}`;
    try {
      const [openapi, internal] = await Promise.all([get('/openapi.json', ip), get('/internal/openapi.json', ip)]);
      if (!openapi) return { service, at, reason: 'it serves no description at /openapi.json' };
      const {
        'x-publishes': publishes,
        'x-consumes': consumes,
        'x-calls': calls,
        'x-permits': permits,
      } = internal ?? {};
      const listed = listedOf(row);
      const described = descriptionIn(openapi);
      return {
        name: service,
        at,
        version: described.info.version,
        callers,
        openapi: described,
        internal: descriptionIn(internal ?? {}),
        publishes: publishes ?? {},
        consumes: consumes ?? listed.consumes,
        calls: calls ?? listed.calls,
        ...(permits && { permits }),
        isWhole: internal !== undefined,
      };
    } catch (error) {
      return { service, at, reason: reasonOf(error) };
    }
  };
  try {
    return await atEachInstance(url, read, (one) => isUnreached(one) && one.reason === 'ECONNREFUSED');
  } catch (error) {
    return [{ service, at: new URL(url).host, reason: reasonOf(error) }];
  }
};
