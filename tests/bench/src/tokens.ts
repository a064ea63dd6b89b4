import { generateKeyPairSync, sign } from 'node:crypto';
import { apply } from './client/load.ts';
import { type AuthorizerAnnouncement, startChild } from './measure/child.ts';
import { atLeast, type Benchmark, median } from './measure/report.ts';

const ROUNDS = 3;

/** ES256 signatures per second of one core, over as many bytes as a token has. */
const signaturesPerSecond = (): number => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const bytes = Buffer.alloc(400, 'x');
  const started = performance.now();
  let done = 0;
  while (performance.now() - started < 1500) {
    for (let turn = 0; turn < 100; turn += 1) sign('sha256', bytes, { key: privateKey, dsaEncoding: 'ieee-p1363' });
    done += 100;
  }
  return (done / (performance.now() - started)) * 1000;
};

/** Tokens per second against bare signatures. */
export const tokens: Benchmark = {
  about: 'tokens per second from the authorizer, against bare ES256 signatures of one core (--seconds 4)',
  async run(progress, { seconds = '4' }) {
    const authorizer = await startChild<AuthorizerAnnouncement>('authorizer');
    const { url, clientId, clientSecret } = authorizer.announced;
    const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
    const load = {
      url: `${url}/auth/token`,
      connections: 16,
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
    } as const;
    progress('warming up');
    await apply({ ...load, seconds: 2 });
    const rows: (string | number)[][] = [];
    const ratios: number[] = [];
    for (let round = 1; round <= ROUNDS; round += 1) {
      progress(`round ${round} of ${ROUNDS}`);
      const bare = signaturesPerSecond();
      const { rate, p50, p99 } = await apply({ ...load, seconds: Number(seconds) });
      ratios.push(rate / bare);
      rows.push([`round ${round}`, bare, rate, rate / bare, p50, p99]);
    }
    await authorizer.stop();
    return {
      columns: ['', 'signatures/s', 'tokens/s', 'ratio', 'p50 ms', 'p99 ms'],
      rows,
      targets: [atLeast('tokens against signatures, median', median(ratios), 0.4)],
    };
  },
};
