import { askAboutSecret, type SecretQuestion } from '@boxoffice/identity';
import type { Logger } from '@boxoffice/runtime';

export interface SecretProofOptions extends Omit<SecretQuestion, 'signal'> {
  readonly logger: Pick<Logger, 'error'>;
  /** Between two questions while the authorizer does not answer. */
  readonly pauseMs?: number;
  /** How often it is asked at most. */
  readonly attempts?: number;
}

/** A question under way. */
export interface SecretProof {
  /** Resolves when nothing more is asked: it was answered, asked often enough, or closed. */
  readonly over: Promise<void>;
  close(): void;
}

/**
 * Finds out in the background whether the authorizer believes this service, and logs one error if it does not: a
 * service with a wrong secret serves and calls itself ready, and fails at its first call of another. While the
 * authorizer does not answer it is asked again, for ten minutes.
 */
export const proveSecret = (options: SecretProofOptions): SecretProof => {
  const { logger, pauseMs = 5_000, attempts = 120 } = options;
  const end = new AbortController();
  const over = Promise.withResolvers<void>();
  let timer: NodeJS.Timeout | undefined;

  const ask = async (left: number): Promise<void> => {
    const answer = await askAboutSecret({ ...options, signal: end.signal });
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
