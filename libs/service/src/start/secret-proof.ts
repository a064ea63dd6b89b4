import { type SecretToVerify, verifySecret } from '@boxoffice/identity';
import type { Logger } from '@boxoffice/runtime';

export interface SecretProofOptions extends Omit<SecretToVerify, 'signal'> {
  readonly logger: Pick<Logger, 'error'>;
  /** Milliseconds between two attempts while the authorizer does not respond. */
  readonly pauseMs?: number;
  /** The number of attempts at most. */
  readonly attempts?: number;
}

/** A running verification. */
export interface SecretProof {
  /** Resolves at the end: the authorizer responded, the attempts are used up, or it was closed. */
  readonly over: Promise<void>;
  close(): void;
}

/**
 * Verifies in the background that the authorizer accepts this service's secret, and logs one error if it does not: a
 * service with a wrong secret serves and reports ready, but its first call of another service fails. While the
 * authorizer does not respond, this retries for ten minutes.
 */
export const proveSecret = (options: SecretProofOptions): SecretProof => {
  const { logger, pauseMs = 5_000, attempts = 120 } = options;
  const end = new AbortController();
  const over = Promise.withResolvers<void>();
  let timer: NodeJS.Timeout | undefined;

  const ask = async (left: number): Promise<void> => {
    const answer = await verifySecret({ ...options, signal: end.signal });
    if (end.signal.aborted) return;
    if (answer.secret === 'wrong') logger.error(answer.reason);
    if (answer.secret === 'unknown' && left > 1) timer = setTimeout(() => void ask(left - 1), pauseMs).unref();
    else over.resolve();
  };
  void ask(attempts);

  return {
    over: over.promise,
    close() {
      clearTimeout(timer);
      end.abort();
      over.resolve();
    },
  };
};
