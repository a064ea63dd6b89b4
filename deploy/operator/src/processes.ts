import { lookup } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { type IncomingHttpHeaders, request as plain } from 'node:http';
import { request as secure } from 'node:https';
import { isIP } from 'node:net';
import type { Running } from '@boxoffice/local';
import { getOwnMember, readSettings, type Setting, url, VERSION_HEADER } from '@boxoffice/runtime';
import { builtInRows, isBuiltIn, nameUrlSetting, type ServiceRow } from '@boxoffice/runtime/services';
import type { Installation } from './installation.ts';

export interface ProcessState {
  readonly service: string;
  /** The probed address; null: none is known. */
  readonly at: string | null;
  readonly version: string | null;
  /** `ready`, `starting: store, start`, `not ready: broker` once it serves, `unreachable: …`, `not asked: …`. */
  readonly state: string;
}

/** The address of a service, and the address of its version where that differs. */
export interface Address {
  readonly service: string;
  readonly url: string;
  readonly versionUrl?: string;
  /** A certificate (PEM) to trust for this address. */
  readonly ca?: string | undefined;
}

/** The timeout of a probe: a starting process or a busy machine takes seconds to send a description. */
const PATIENCE_MS = 10_000;

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

/** Requests one address of a name, separately from the name's other addresses; rejects on a timeout. */
export function fetchJson(url: URL, address: string, ca: string | undefined): Promise<Reply> {
  const family = isIP(address);
  const request = url.protocol === 'https:' ? secure : plain;
  const options = {
    agent: false,
    signal: AbortSignal.timeout(PATIENCE_MS),
    lookup: ((_name, { all }, answer) =>
      all ? answer(null, [{ address, family }]) : answer(null, address, family)) as import('node:net').LookupFunction,
    ...(ca === undefined ? {} : { ca }),
  };
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const asked = request(url, options, (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (part) => {
      text += part;
    });
    response.on('error', reject).on('end', () => {
      const { statusCode: status = 0, headers } = response;
      try {
        resolve({ status, headers, body: JSON.parse(text) });
      } catch {
        resolve({ status, headers, body: undefined });
      }
    });
  });
  asked.on('error', reject).end();
  return promise;
}

export function describeReason(error: unknown): string {
  const { code, name, message } = error as {
    readonly code?: string;
    readonly name?: string;
    readonly message?: string;
  };
  if (name === 'AbortError' || name === 'TimeoutError') return `no answer within ${PATIENCE_MS / 1_000} s`;
  return code ?? message ?? String(error);
}

/** Looks at every instance behind a URL: each address that its name resolves to. Rejects if it resolves to none. */
export async function visitEachInstance<Seen>(
  url: string,
  look: (address: string) => Promise<Seen>,
  isRefused: (seen: Seen) => boolean,
): Promise<Seen[]> {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  const found = isIP(host) ? [host] : (await lookup(host, { all: true })).map((one) => one.address);
  const all = [...new Set(found)];
  const seen = await Promise.all(all.map(look));
  const listens = (family: number) => seen.some((one, index) => isIP(all[index] ?? '') === family && !isRefused(one));
  // A name may resolve to both address families while its server listens on one.
  const [four, six] = [listens(4), listens(6)];
  return four === six ? seen : seen.filter((_, index) => isIP(all[index] ?? '') === (four ? 4 : 6));
}

/** Probes every instance behind an address. Never rejects. */
export async function probe(address: Address): Promise<ProcessState[]> {
  try {
    return await visitEachInstance(
      address.url,
      (one) => probeOne(address, one),
      ({ state }) => state === 'unreachable: ECONNREFUSED',
    );
  } catch (error) {
    const at = new URL(address.url).hostname.replace(/^\[|\]$/g, '');
    return [{ service: address.service, at, version: null, state: `unreachable: ${describeReason(error)}` }];
  }
}

const probeOne = async ({ service, url, versionUrl = url, ca }: Address, address: string): Promise<ProcessState> => {
  const at = `${address}:${new URL(url).port || (url.startsWith('https') ? '443' : '80')}`;
  const [ready, described] = await Promise.allSettled([
    fetchJson(new URL('/health/ready', url), address, ca),
    fetchJson(new URL('/openapi.json', versionUrl), address, ca),
  ]);
  return {
    service,
    at,
    version: versionIn(settledValue(ready), settledValue(described)),
    state: ready.status === 'fulfilled' ? readinessIn(ready.value) : `unreachable: ${describeReason(ready.reason)}`,
  };
};

/** The version that a process names in its health check: the gateway, which describes all; else in its description. */
const versionIn = (ready: Reply | undefined, described: Reply | undefined): string | null => {
  const named = ready?.headers[VERSION_HEADER.toLowerCase()];
  if (typeof named === 'string') return named;
  const { body } = described ?? {};
  const { info } = (body ?? {}) as { readonly info?: { readonly version?: unknown } };
  return typeof info?.version === 'string' ? info.version : null;
};

const settledValue = <Value>(settled: PromiseSettledResult<Value>): Value | undefined =>
  settled.status === 'fulfilled' ? settled.value : undefined;

const readinessIn = ({ status, body }: Reply): string => {
  if (status === 200) return 'ready';
  const { status: said, waitingFor } = (body ?? {}) as { readonly status?: unknown; readonly waitingFor?: unknown };
  if (typeof said !== 'string') return `no health check there: it answers ${status}`;
  if (!Array.isArray(waitingFor) || waitingFor.length === 0) return said;
  // A process that serves already waits for single conditions; its start is among what a starting one waits for.
  const state = said === 'starting' && !waitingFor.includes('start') ? 'not ready' : said;
  return `${state}: ${waitingFor.join(', ')}`;
};

const settings: Readonly<Record<string, Setting<string | undefined>>> = Object.fromEntries(
  builtInRows.map(({ name }) => [name, url(nameUrlSetting(name), { optional: true, origin: true })]),
);

export interface NotAsked {
  readonly service: string;
  /** The setting that would name it: `GATEWAY_URL`. */
  readonly setting: string;
}

export interface Addresses {
  readonly from: 'npm start' | 'settings' | 'settings and npm start' | 'nowhere';
  readonly all: readonly Address[];
  /** Processes that may run at an unknown address. Empty for a stopped installation on files: it has no processes. */
  readonly unknown: readonly NotAsked[];
}

/** From settings and rows, all others from the record of a running `npm start`. @throws {SettingsFault} */
export async function findAddresses(
  { engines, running: look }: Installation,
  services: readonly ServiceRow[],
): Promise<Addresses> {
  const set: Readonly<Record<string, string | undefined>> = readSettings(settings);
  // A team's service without an address serves no request: it may only receive facts.
  const rows = services.filter(({ name, url }) => isBuiltIn(name) || url !== undefined);
  const given = new Map(rows.map(({ name, url }) => [name, getOwnMember(set, name) ?? url]));
  const running = await look();
  const recorded = running === undefined ? [] : ofRunning(running);
  const all = rows.flatMap(({ name: service }): Address[] => {
    const url = given.get(service);
    return url === undefined ? recorded.filter((one) => one.service === service) : [{ service, url }];
  });
  const isGiven = builtInRows.some(({ name }) => given.get(name) !== undefined);
  const unknown = rows
    .filter(({ name }) => !all.some(({ service }) => service === name))
    .map(({ name }) => ({ service: name, setting: nameUrlSetting(name) }));
  if (running !== undefined)
    return isGiven ? { from: 'settings and npm start', all, unknown } : { from: 'npm start', all, unknown: [] };
  // With shared engines, the other processes may run anywhere.
  return isGiven
    ? { from: 'settings', all, unknown }
    : { from: 'nowhere', all, unknown: engines.store === 'SQLite' ? [] : unknown };
}

const ofRunning = ({ urls, gatewayUrl, caFile }: Running): Address[] => {
  const ca = caFile === undefined ? undefined : readFileSync(caFile, 'utf8');
  return Object.entries(urls).map(([service, url]) =>
    service === 'gateway' ? { service, url, versionUrl: gatewayUrl, ca } : { service, url },
  );
};
