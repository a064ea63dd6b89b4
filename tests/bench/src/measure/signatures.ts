import { generateKeyPairSync, sign } from 'node:crypto';

/** ES256 signatures per second of one core, over as many bytes as a token has. */
export const signaturesPerSecond = (): number => {
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
