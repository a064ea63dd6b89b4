import { sign } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { SigningKey } from '@boxoffice/identity';
import type { SignReply, SignRequest } from './signer-thread.ts';

/** Signs texts with ES256. */
export interface Signer {
  /** The signature of an ASCII text, base64url (RFC 7518, 3.4). */
  sign(key: SigningKey, input: string): Promise<string>;
  /** Ends the thread; what is signed afterwards is signed without it. */
  close(): Promise<void>;
}

const signHere = ({ privateKey }: SigningKey, input: string): string =>
  sign('sha256', Buffer.from(input, 'latin1'), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url');

interface Waiting {
  readonly key: SigningKey;
  readonly input: string;
  resolve(signature: string): void;
}

const startThread = (): Worker => {
  const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
  const worker = new Worker(fileURLToPath(new URL(`./signer-thread${extension}`, import.meta.url)), {
    name: 'signer',
    // It holds a few keys and one batch of texts.
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
  });
  worker.unref();
  return worker;
};

/** So many messages are on their way at most: one that the thread works on, and one that it finds when it is done. */
const MESSAGES = 2;

/**
 * Makes the signer of an instance. A signature takes as long as everything else in a token request together, so a thread of its own
 * makes them while the event loop serves the next request; what comes while it is busy goes over in one message, since messages
 * (and the thread pool of asynchronous crypto) cost a fair part of a signature each. Without its thread it signs on the spot.
 */
export const createSigner = (): Signer => {
  let worker: Worker | undefined = startThread();
  let queue: Waiting[] = [];
  const underway: (readonly Waiting[])[] = [];
  const sent = new Set<string>();

  const finish = (waiting: readonly Waiting[]): void => {
    for (const { key, input, resolve } of waiting) resolve(signHere(key, input));
  };
  const lose = (): void => {
    worker = undefined;
    for (const batch of [...underway.splice(0), queue.splice(0)]) finish(batch);
  };
  worker.on('error', lose).on('exit', lose);

  const post = (batch: readonly Waiting[]): void => {
    const [first] = batch;
    if (!first) return;
    if (!worker) {
      finish(batch);
      return;
    }
    const { kid, privateKey } = first.key;
    underway.push(batch);
    worker.postMessage({
      kid,
      inputs: batch.map(({ input }) => input),
      ...(sent.has(kid) ? {} : { key: privateKey }),
    } satisfies SignRequest);
    sent.add(kid);
  };
  const flush = (): void => {
    if (underway.length >= MESSAGES) return;
    const batch = queue;
    queue = [];
    // More than one key only in the moment when the next one takes over.
    for (const same of Map.groupBy(batch, ({ key }) => key.kid).values()) post(same);
  };
  worker.on('message', (signatures: SignReply) => {
    for (const [index, { resolve }] of (underway.shift() ?? []).entries()) resolve(signatures[index] as string);
    if (queue.length > 0) flush();
  });

  return {
    sign: (key, input) =>
      new Promise((resolve) => {
        if (queue.push({ key, input, resolve }) === 1) setImmediate(flush);
      }),
    close: async () => {
      await worker?.terminate();
    },
  };
};
