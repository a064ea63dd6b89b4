import { apply } from './client/load.ts';
import { startChild } from './measure/child.ts';
import { type Benchmark, quantile, round } from './measure/report.ts';
import { signaturesPerSecond } from './measure/signatures.ts';
import type { AuthorizerAnnouncement } from './programs/announcement.ts';

const ROUNDS = 3;
const SECONDS = 4;

/** Tokens per second against bare signatures. */
export const tokens: Benchmark = {
  about: 'tokens per second from the authorizer, against bare ES256 signatures of one core',
  async run(progress) {
    const authorizer = await startChild<AuthorizerAnnouncement>('authorizer');
    const { url, clientId, clientSecret } = authorizer.announced;
    const load = {
      url: `${url}/auth/token`,
      connections: 16,
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: clientId,
        client_secret: clientSecret,
      }).toString(),
    } as const;
    progress('warming up');
    await apply({ ...load, seconds: 2 });
    const rows: (string | number)[][] = [];
    const ratios: number[] = [];
    for (let round = 1; round <= ROUNDS; round += 1) {
      progress(`round ${round} of ${ROUNDS}`);
      const bare = signaturesPerSecond();
      const { rate, p50, p99 } = await apply({ ...load, seconds: SECONDS });
      ratios.push(rate / bare);
      rows.push([`round ${round}`, bare, rate, rate / bare, p50, p99]);
    }
    await authorizer.stop();
    const ratio = quantile(ratios, 0.5);
    return {
      name: 'tokens',
      about: this.about,
      columns: ['', 'signatures/s', 'tokens/s', 'ratio', 'p50 ms', 'p99 ms'],
      rows,
      targets: [
        {
          what: 'tokens against signatures, median',
          target: '≥ 0.4 ×',
          reached: `${round(ratio)} ×`,
          met: ratio >= 0.4,
        },
      ],
    };
  },
};
