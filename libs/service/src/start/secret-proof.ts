import { type AuthorizerCaller, verifySecret } from '@boxoffice/identity';
import type { Logger } from '@boxoffice/runtime';

interface SecretProofOptions extends AuthorizerCaller {
  readonly logger: Pick<Logger, 'error'>;
  /** Milliseconds before the second attempt; doubled each time, up to {@link LONGEST_PAUSE_MS}. */
  readonly pauseMs?: number;
}

export type SecretProof = ReturnType<typeof proveSecret>;

const LONGEST_PAUSE_MS = 5_000;

/** A refusal is logged once and verified again: the authorizer may be the one that still has an old root secret. */
export function proveSecret(options: SecretProofOptions) {
  const { logger, pauseMs = 100 } = options;
  const end = new AbortController();
  const accepted = Promise.withResolvers<void>();
  accepted.promise.catch(() => undefined);
  let isAccepted = false;
  let isReported = false;
  let timer: NodeJS.Timeout | undefined;

  const ask = async (pause: number): Promise<void> => {
    const answer = await verifySecret(options, end.signal);
    if (end.signal.aborted) return;
    isAccepted = answer.secret === 'right';
    if (answer.secret === 'wrong' && !isReported) {
      isReported = true;
      logger.error(answer.reason);
    }
    if (isAccepted) accepted.resolve();
    else timer = setTimeout(() => void ask(Math.min(2 * pause, LONGEST_PAUSE_MS)), pause).unref();
  };
  void ask(pauseMs);

  return {
    /** Resolves when the authorizer has accepted the secret; rejects if it is closed before. */
    accepted: accepted.promise,
    /** The condition of readiness: rejects until the authorizer has accepted the secret once, and never again. */
    async check() {
      if (!isAccepted) throw new Error('the authorizer has not accepted SERVICE_SECRET yet');
    },
    close(): void {
      clearTimeout(timer);
      end.abort();
      accepted.reject(new Error('the service is stopping'));
    },
  };
}
