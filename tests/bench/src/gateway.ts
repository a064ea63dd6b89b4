import { authorizationOf, openClient } from '@boxoffice/testkit';
import { apply, type Load } from './client/load.ts';
import { userAuthorizationOf } from './client/sign-in.ts';
import { cpuSeconds, type Running, startChild } from './measure/child.ts';
import { type Benchmark, quantile, round } from './measure/report.ts';
import type { AuthorizerAnnouncement } from './programs/announcement.ts';

interface Announcement {
  readonly url: string;
}

const PUBLIC_URL = 'https://localhost:8443';
const ROUNDS = 5;

/** The least speed of a user's token, and of an API key, against the client's own token for the same operation. */
const LOWEST = 0.9;

/** The gateway against a bare proxy, and each kind of caller against a client, alternately, with the same upstream. */
export const gateway: Benchmark = {
  about:
    "an authorised GET of 1 KB through the gateway, against a bare node:http proxy, 50 connections; a user's token and " +
    "an API key against the client's token",
  async run(progress, { seconds = '4' }) {
    const upstream = await startChild<Announcement>('upstream');
    const authorizer = await startChild<AuthorizerAnnouncement>('authorizer', [PUBLIC_URL]);
    const bare = await startChild<Announcement>('bare-proxy', [upstream.announced.url]);
    const { serviceSecret, url: authorizerUrl, apiKey } = authorizer.announced;
    const tested = await startChild<Announcement>('gateway', [
      authorizerUrl,
      upstream.announced.url,
      serviceSecret,
      PUBLIC_URL,
    ]);
    const authorization = await authorizationOf(openClient({ baseUrl: authorizerUrl }), authorizer.announced);
    const client = { authorization };
    const user = { authorization: await userAuthorizationOf(authorizer.announced) };
    const key = { 'x-api-key': apiKey };
    const load = (url: string, caller: Readonly<Record<string, string>>, duration: number): Load => ({
      url,
      connections: 50,
      seconds: duration,
      headers: { ...caller, 'x-forwarded-proto': 'https' },
    });

    /** Requests per second, p99, and the proxy's own CPU time per request in microseconds. */
    const measure = async (
      { announced, child }: Running<Announcement>,
      caller: Readonly<Record<string, string>>,
      path = '/svc/v3/contacts/benchmark',
      duration = Number(seconds),
    ) => {
      const before = cpuSeconds(child.pid);
      const { rate, p99 } = await apply(load(`${announced.url}${path}`, caller, duration));
      return { rate, p99, cpu: ((cpuSeconds(child.pid) - before) / (rate * duration)) * 1e6 };
    };
    const PUBLIC = '/svc/v3/contacts/public-benchmark';

    progress('warming up');
    await measure(bare, client, undefined, 3);
    for (const caller of [client, user]) await measure(tested, caller, undefined, 3);
    for (const caller of [client, key]) await measure(tested, caller, PUBLIC, 3);
    const rows: (string | number)[][] = [];
    const ratios = { client: [] as number[], user: [] as number[], key: [] as number[] };
    for (let turn = 1; turn <= ROUNDS; turn += 1) {
      progress(`round ${turn} of ${ROUNDS}`);
      const plain = await measure(bare, client);
      const clients = await measure(tested, client);
      const users = await measure(tested, user);
      const open = await measure(tested, client, PUBLIC);
      const keys = await measure(tested, key, PUBLIC);
      ratios.client.push(clients.rate / plain.rate);
      ratios.user.push(users.rate / clients.rate);
      ratios.key.push(keys.rate / open.rate);
      rows.push([
        `round ${turn}`,
        plain.rate,
        clients.rate,
        clients.rate / plain.rate,
        plain.cpu,
        clients.cpu,
        plain.p99,
        clients.p99,
        users.rate,
        users.rate / clients.rate,
        open.rate,
        keys.rate,
        keys.rate / open.rate,
      ]);
    }
    for (const program of [tested, bare, authorizer, upstream]) await program.stop();
    const [ratio, ofUser, ofKey] = [ratios.client, ratios.user, ratios.key].map((all) => quantile(all, 0.5));
    const target = (what: string, reached: number | undefined = Number.NaN, least: number) => ({
      what,
      target: `≥ ${least} ×`,
      reached: `${round(reached)} ×`,
      met: reached >= least,
    });
    return {
      name: 'gateway',
      about: this.about,
      columns: [
        ...['', 'bare/s', 'gateway/s', 'ratio', 'bare CPU µs', 'gateway CPU µs', 'bare p99 ms', 'gateway p99 ms'],
        ...["user's token/s", 'ratio', 'public, client/s', 'API key/s', 'ratio'],
      ],
      rows,
      targets: [
        target('gateway against bare proxy, median', ratio, 0.6),
        target('target ratio', ratio, 0.85),
        target("a user's token against a client's, median", ofUser, LOWEST),
        target("an API key against a client's token, median", ofKey, LOWEST),
      ],
    };
  },
};
