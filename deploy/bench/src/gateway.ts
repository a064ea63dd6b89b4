import { authorizationOf, openClient } from '@boxoffice/testkit';
import { apply, type Load } from './client/load.ts';
import { cpuSeconds, type Running, startChild } from './measure/child.ts';
import { type Benchmark, quantile, round } from './measure/report.ts';
import type { AuthorizerAnnouncement } from './programs/authorizer.ts';

interface Announcement {
  readonly url: string;
}

const PUBLIC_URL = 'https://localhost:8443';
const ROUNDS = 5;

/** The gateway against a bare proxy, alternately, with the same upstream. */
export const gateway: Benchmark = {
  about: 'an authorised GET of 1 KB through the gateway, against a bare node:http proxy, 50 connections',
  async run(progress, { seconds = '4' }) {
    const upstream = await startChild<Announcement>('upstream');
    const authorizer = await startChild<AuthorizerAnnouncement>('authorizer', [PUBLIC_URL]);
    const bare = await startChild<Announcement>('bare-proxy', [upstream.announced.url]);
    const { serviceSecret, url: authorizerUrl } = authorizer.announced;
    const tested = await startChild<Announcement>('gateway', [
      authorizerUrl,
      upstream.announced.url,
      serviceSecret,
      PUBLIC_URL,
    ]);
    const authorization = await authorizationOf(openClient({ baseUrl: authorizerUrl }), authorizer.announced);
    const headers = { authorization, 'x-forwarded-proto': 'https' };
    const path = '/svc/v3/contacts/benchmark';
    const load = (base: string, duration: number): Load => ({
      url: `${base}${path}`,
      connections: 50,
      seconds: duration,
      headers,
    });

    /** Requests per second, p99, and the proxy's own CPU time per request in microseconds. */
    const measure = async ({ announced, child }: Running<Announcement>, duration: number) => {
      const before = cpuSeconds(child.pid);
      const { rate, p99 } = await apply(load(announced.url, duration));
      return { rate, p99, cpu: ((cpuSeconds(child.pid) - before) / (rate * duration)) * 1e6 };
    };

    progress('warming up');
    for (const program of [bare, tested]) await measure(program, 3);
    const rows: (string | number)[][] = [];
    const ratios: number[] = [];
    for (let turn = 1; turn <= ROUNDS; turn += 1) {
      progress(`round ${turn} of ${ROUNDS}`);
      const plain = await measure(bare, Number(seconds));
      const checked = await measure(tested, Number(seconds));
      ratios.push(checked.rate / plain.rate);
      rows.push([
        `round ${turn}`,
        plain.rate,
        checked.rate,
        checked.rate / plain.rate,
        plain.cpu,
        checked.cpu,
        plain.p99,
        checked.p99,
      ]);
    }
    for (const program of [tested, bare, authorizer, upstream]) await program.stop();
    const ratio = quantile(ratios, 0.5);
    return {
      name: 'gateway',
      about: this.about,
      columns: ['', 'bare/s', 'gateway/s', 'ratio', 'bare CPU µs', 'gateway CPU µs', 'bare p99 ms', 'gateway p99 ms'],
      rows,
      targets: [
        {
          what: 'gateway against bare proxy, median',
          target: '≥ 0.6 ×',
          reached: `${round(ratio)} ×`,
          met: ratio >= 0.6,
        },
        { what: 'target ratio', target: '≥ 0.85 ×', reached: `${round(ratio)} ×`, met: ratio >= 0.85 },
      ],
    };
  },
};
