import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { AccessClaims, SigningKey } from '@boxoffice/identity';
import { type ClaimsToSign, type SignedTokens, signTokens } from './sign.ts';
import type { SignReply, SignRequest } from './signer-thread.ts';

/** Signs the tokens of requests. */
export interface Signer {
  /** Resolves to the access token and, with claims of an ID token (without `at_hash`), the ID token. */
  sign(key: SigningKey, claims: AccessClaims, idClaims?: object): Promise<SignedTokens>;
  /** Terminates the thread; later tokens are signed on the calling thread. */
  close(): Promise<void>;
}

interface Waiting {
  readonly key: SigningKey;
  readonly claims: ClaimsToSign;
  resolve(tokens: SignedTokens): void;
}

const startThread = (): Worker => {
  const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
  const worker = new Worker(fileURLToPath(new URL(`./signer-thread${extension}`, import.meta.url)), {
    name: 'signer',
    // The thread holds a few keys and at most two batches of tokens.
    resourceLimits: { maxOldGenerationSizeMb: 24, maxYoungGenerationSizeMb: 8 },
  });
  worker.unref();
  return worker;
};

/** Maximum number of batches in the thread: the one being signed and the next one. */
const MESSAGES = 2;

/**
 * Makes the signer of an instance. A signature costs as much as the rest of a token request, so a worker thread signs
 * while the event loop serves the next request. Requests that arrive meanwhile are sent as one batch, because a message
 * (like the thread pool of asynchronous crypto) costs a fair part of a signature. The thread starts with the first
 * token; if it has died, tokens are
 * signed on the calling thread.
 */
export const createSigner = (): Signer => {
  let worker: Worker | undefined;
  let hasEnded = false;
  let queue: Waiting[] = [];
  const inFlight: (readonly Waiting[])[] = [];
  const sent = new Set<string>();

  const finish = (waiting: readonly Waiting[]): void => {
    for (const { key, claims, resolve } of waiting) resolve(signTokens(claims, key.kid, key.privateKey));
  };
  const signLocally = (): void => {
    worker = undefined;
    hasEnded = true;
    for (const batch of [...inFlight.splice(0), queue.splice(0)]) finish(batch);
  };

  const post = (batch: readonly Waiting[]): void => {
    const [first] = batch;
    if (!first) return;
    if (hasEnded) {
      finish(batch);
      return;
    }
    worker ??= startThread().on('error', signLocally).on('exit', signLocally).on('message', receive);
    const { kid, privateKey } = first.key;
    inFlight.push(batch);
    worker.postMessage({
      kid,
      claims: batch.map(({ claims }) => claims),
      ...(sent.has(kid) ? {} : { key: privateKey }),
    } satisfies SignRequest);
    sent.add(kid);
  };
  const flush = (): void => {
    if (inFlight.length >= MESSAGES) return;
    const batch = queue;
    queue = [];
    // More than one key only while the next key takes over.
    for (const same of Map.groupBy(batch, ({ key }) => key.kid).values()) post(same);
  };
  const receive = (tokens: SignReply): void => {
    for (const [index, { resolve }] of (inFlight.shift() ?? []).entries()) resolve(tokens[index] as SignedTokens);
    if (queue.length > 0) flush();
  };

  return {
    sign: (key, access, id) =>
      new Promise((resolve) => {
        const claims: ClaimsToSign =
          id === undefined ? [JSON.stringify(access)] : [JSON.stringify(access), JSON.stringify(id)];
        if (queue.push({ key, claims, resolve }) === 1) setImmediate(flush);
      }),
    close: async () => {
      hasEnded = true;
      await worker?.terminate();
    },
  };
};
