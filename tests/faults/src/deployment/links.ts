// The links between processes: what calls what, each link through a proxy of toxiproxy that damages it.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { builtInRows } from '@boxoffice/runtime/services';
import { findFreePort, waitUntil } from '@boxoffice/testkit';
import { type Proxy as Link, type ToxicDirection, type ToxicType, Toxiproxy } from 'toxiproxy-node-client';
import type { Random } from '../round/random.ts';
import { serving } from './crash-points.ts';

export type Target = (typeof serving)[number] | 'store' | 'broker';

const callersOf = (target: Target): readonly string[] => {
  if (target === 'store' || target === 'broker') return serving;
  if (target === 'authorizer') return builtInRows.flatMap(({ name }) => (name === 'authorizer' ? [] : [name]));
  const internal = builtInRows
    .filter(({ calls }) => calls.some((call) => call.startsWith(`${target}.`)))
    .map(({ name }) => name);
  return [...new Set(['gateway', ...internal])];
};

/** Every link of an installation, such as `orders → catalog`; all instances of the caller share it. */
export const linkNames = [...serving, 'store' as const, 'broker' as const].flatMap((target) =>
  callersOf(target).map((caller) => ({ name: `${caller} → ${target}`, caller, target })),
);

/** The settings that put the links of a caller through proxies, whose `host:port` `listening` returns by the link. */
export function buildLinkSettings(
  caller: string,
  urls: Readonly<Record<Target, string>>,
  listening: (link: string) => string,
): Record<string, string> {
  return Object.fromEntries(
    linkNames
      .filter((link) => link.caller === caller)
      .map(({ name, target }) => [settingOf(target), replaceHost(urls[target], listening(name))]),
  );
}

const settingOf = (target: Target): string => {
  if (target === 'store') return 'MONGODB_URL';
  return target === 'broker' ? 'AMQP_URL' : `${target.toUpperCase()}_URL`;
};

/** The same URL at another `host:port`. @throws {Error} when it is no URL of a server */
const replaceHost = (url: string, address: string): string => {
  const parts = /^([a-z+]+:\/\/(?:[^@/]*@)?)[^/?]+(.*)$/.exec(url);
  if (!parts) throw new Error(`${url} is not the URL of a server`);
  return `${parts[1]}${address}${parts[2]}`;
};

/** A fault of one direction of a link, as toxiproxy calls it: `downstream` is that of the answers. */
interface Toxic {
  readonly type: ToxicType;
  readonly stream: ToxicDirection;
  readonly attributes: Readonly<Record<string, number>>;
}

/** What is done to a link, in words; without toxics its connections are closed and new ones refused. */
interface Damage {
  readonly words: string;
  readonly toxics: readonly Toxic[];
}

const both = (type: Toxic['type'], attributes: Toxic['attributes']): Toxic[] => [
  { type, stream: 'upstream', attributes },
  { type, stream: 'downstream', attributes },
];

/** The answers take `ms` longer. */
export function createDelay(ms: number): Damage {
  return {
    words: `delayed by ${ms} ms`,
    toxics: [{ type: 'latency', stream: 'downstream', attributes: { latency: ms, jitter: Math.round(ms / 10) } }],
  };
}

/** The ways in which a link can be damaged. */
export const damages: readonly ((random: Random) => Damage)[] = [
  () => ({ words: 'refused', toxics: [] }),
  () => ({ words: 'silent', toxics: both('timeout', { timeout: 0 }) }),
  // Below every time limit of the product, and above one or all of them.
  (random) => createDelay(random.pick([150, 800, 2_000, 4_500, 9_000])),
  () => ({ words: 'narrowed to 2 KB/s each way', toxics: both('bandwidth', { rate: 2 }) }),
  (random) => {
    const bytes = random.between(20, 4_000);
    const words = `ending connections after ${bytes} bytes of answers`;
    return { words, toxics: [{ type: 'limit_data', stream: 'downstream', attributes: { bytes } }] };
  },
  (random) => {
    const timeout = random.between(0, 250);
    const words = `resetting connections after ${timeout} ms`;
    return { words, toxics: [{ type: 'reset_peer', stream: 'downstream', attributes: { timeout } }] };
  },
];

export type Environment = Readonly<Record<string, string | undefined>>;

/** Why links cannot be damaged here; undefined if they can. */
export function describeMissingLinks({ TEST_TOXIPROXY: program, TEST_MONGODB_URL: url = '', PATH = '' }: Environment) {
  if (/^mongodb\+srv:|,|[?&]replicaSet=/i.test(url))
    return 'the driver connects to the members of a replica set by itself, past toxiproxy';
  if (program !== undefined) return existsSync(program) ? undefined : `TEST_TOXIPROXY: there is no ${program}`;
  const go = [...PATH.split(':'), '/usr/local/go/bin'].some((folder) => existsSync(`${folder}/go`));
  return go ? undefined : 'there is neither TEST_TOXIPROXY, the program of toxiproxy, nor Go to build it';
}

const BUILD = new URL('../../../../.ci/toxiproxy', import.meta.url).pathname;

export type Links = Awaited<ReturnType<typeof openLinks>>;

/** Opens a proxy for each link. `urls` has the address of every service, of the store and of the broker. */
export async function openLinks(env: Environment, urls: Readonly<Record<Target, string>>) {
  const program = env.TEST_TOXIPROXY ?? execFileSync(BUILD, { encoding: 'utf8' }).trim();
  const port = await findFreePort();
  const child = spawn(program, ['-host', '127.0.0.1', '-port', `${port}`, '-proxy-metrics'], { stdio: 'ignore' });
  const ended = once(child, 'exit').catch(() => undefined);
  const server = new Toxiproxy(`http://127.0.0.1:${port}`);
  const proxies = new Map<string, Link>();
  try {
    await waitUntil(() => server.getVersion().catch(() => ''), { what: `${program} on port ${port}` });
    for (const { name, target } of linkNames) {
      const upstream = new URL(urls[target]).host;
      proxies.set(name, await server.createProxy({ name, upstream, listen: '127.0.0.1:0' }));
    }
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  const proxyOf = (link: string): Link => proxies.get(link) as Link;
  const enable = (proxy: Link, enabled: boolean) => proxy.update({ ...proxy.toJson(), enabled });
  return {
    settingsOf: (caller: string) => buildLinkSettings(caller, urls, (name) => proxyOf(name).listen),
    /** Damages a link until the next `mend`. */
    async damage(link: string, { toxics }: Damage) {
      if (toxics.length === 0) await enable(proxyOf(link), false);
      for (const toxic of toxics) {
        const name = `${toxic.type} ${toxic.stream}`;
        await proxyOf(link).addToxic({ ...toxic, name, toxicity: 1 });
      }
    },
    /** Takes every damage back, and ends the connections of a link; returns how many bytes it has carried so far. */
    async mend(link: string): Promise<number> {
      await server.reset();
      // The program counts the bytes of a connection when it ends.
      for (const enabled of [false, true]) await enable(proxyOf(link), enabled);
      const counts = (await (await fetch(`${server.host}/metrics`)).text())
        .split('\n')
        .filter((line) => line.startsWith('toxiproxy_proxy_received_bytes_total') && line.includes(`proxy="${link}"`));
      return counts.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
    },
    async close() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
