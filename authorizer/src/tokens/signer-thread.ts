import type { KeyObject } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import { type ClaimsToSign, type SignedTokens, signTokens } from './sign.ts';

/** Claims to sign with one key; the key itself is sent once per thread. */
export interface SignRequest {
  readonly kid: string;
  readonly key?: KeyObject;
  readonly claims: readonly ClaimsToSign[];
}

/** The tokens, in the same order. */
export type SignReply = readonly SignedTokens[];

const keys = new Map<string, KeyObject>();

parentPort?.on('message', ({ kid, key = keys.get(kid), claims }: SignRequest) => {
  if (!key) throw new Error('the message contains no key and the thread has none');
  keys.set(kid, key);
  const tokens: SignReply = claims.map((each) => signTokens(each, kid, key));
  parentPort?.postMessage(tokens);
});
