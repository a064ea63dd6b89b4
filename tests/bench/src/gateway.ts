import { openClient, requestAuthorization } from '@boxoffice/testkit';
import { apply } from './measure/load.ts';
import { type AuthorizerAnnouncement, type Running, readCpuSeconds, startChild } from './measure/processes.ts';
import { type Benchmark, computeMedian, createMinimumTarget } from './measure/report.ts';

type Announcement = Pick<AuthorizerAnnouncement, 'url'>;

const PUBLIC_URL = 'https://localhost:8443';
const ROUNDS = 5;
const PRIVATE = '/svc/v3/contacts/benchmark';
const PUBLIC = '/svc/v3/contacts/public-benchmark';

/** The gateway against a bare proxy, and an API key against a client, alternately, with the same upstream. */
export const gateway: Benchmark = {
  about:
    'an authorised GET of 1 KB through the gateway, against a bare node:http proxy, 50 connections; an API key ' +
    "against the client's token (--seconds 4)",
  async run(progress, { seconds = '4' }) {
    const upstream = await startChild<Announcement>('bare', ['upstream']);
    const authorizer = await startChild<AuthorizerAnnouncement>('authorizer', [PUBLIC_URL]);
    const bare = await startChild<Announcement>('bare', ['proxy', upstream.announced.url]);
    const { serviceSecret, url: authorizerUrl, apiKey } = authorizer.announced;
    const services = [authorizerUrl, upstream.announced.url];
    const tested = await startChild<Announcement>('gateway', [...services, serviceSecret, PUBLIC_URL]);
    const client = {
      authorization: await requestAuthorization(openClient({ baseUrl: authorizerUrl }), authorizer.announced),
    };
    const key = { 'x-api-key': apiKey };

    /** Requests per second, p99, and the proxy's own CPU time per request in microseconds. */
    const measure = async (
      { announced, child }: Running<Announcement>,
      caller: Readonly<Record<string, string>>,
      path: string,
      duration = Number(seconds),
    ) => {
      const before = readCpuSeconds(child.pid);
      const headers = { ...caller, 'x-forwarded-proto': 'https' };
      const load = { url: `${announced.url}${path}`, connections: 50, seconds: duration, headers };
      const { rate, p99 } = await apply(load);
      return { rate, p99, cpu: ((readCpuSeconds(child.pid) - before) / (rate * duration)) * 1e6 };
    };

    progress('warming up');
    await measure(bare, client, PRIVATE, 3);
    await measure(tested, client, PRIVATE, 3);
    for (const caller of [client, key]) await measure(tested, caller, PUBLIC, 3);
    const rows: (string | number)[][] = [];
    const ratios = { client: [] as number[], key: [] as number[] };
    for (let turn = 1; turn <= ROUNDS; turn += 1) {
      progress(`round ${turn} of ${ROUNDS}`);
      const plain = await measure(bare, client, PRIVATE);
      const clients = await measure(tested, client, PRIVATE);
      const open = await measure(tested, client, PUBLIC);
      const keys = await measure(tested, key, PUBLIC);
      ratios.client.push(clients.rate / plain.rate);
      ratios.key.push(keys.rate / open.rate);
      rows.push([
        ...[`round ${turn}`, plain.rate, clients.rate, clients.rate / plain.rate],
        ...[plain.cpu, clients.cpu, plain.p99, clients.p99],
        ...[open.rate, keys.rate, keys.rate / open.rate],
      ]);
    }
    for (const program of [tested, bare, authorizer, upstream]) await program.stop();
    return {
      columns: [
        ...['', 'bare/s', 'gateway/s', 'ratio', 'bare CPU µs', 'gateway CPU µs', 'bare p99 ms', 'gateway p99 ms'],
        ...['public, client/s', 'API key/s', 'ratio'],
      ],
      rows,
      targets: [
        createMinimumTarget('gateway against bare proxy, median', computeMedian(ratios.client), 0.75),
        createMinimumTarget("an API key against a client's token, median", computeMedian(ratios.key), 0.9),
      ],
    };
  },
};
