import { type KeyObject, sign } from 'node:crypto';
import { parentPort } from 'node:worker_threads';

/** Texts to sign with one key, which comes along the first time. */
export interface SignRequest {
  readonly kid: string;
  readonly key?: KeyObject;
  readonly inputs: readonly string[];
}

/** Their signatures (RFC 7518, 3.4) in the same order, base64url. */
export type SignReply = readonly string[];

const keys = new Map<string, KeyObject>();

parentPort?.on('message', ({ kid, key = keys.get(kid), inputs }: SignRequest) => {
  if (!key) throw new Error('the key did not come along');
  keys.set(kid, key);
  const options = { key, dsaEncoding: 'ieee-p1363' } as const;
  const signatures: SignReply = inputs.map((input) =>
    sign('sha256', Buffer.from(input, 'latin1'), options).toString('base64url'),
  );
  parentPort?.postMessage(signatures);
});
