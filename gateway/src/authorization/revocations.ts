import { type Interval, type Logger, repeat } from '@boxoffice/runtime';
import { createNewest } from '../limits/newest.ts';
import { type AuthorizerClient, SecretRefused } from './authorizer-client.ts';

export type Revocations = ReturnType<typeof createRevocations>;

interface RevocationsOptions {
  readonly authorizerClient: Pick<AuthorizerClient, 'changes'>;
  readonly clientChanged: (clientId: string) => void;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
}

/** Counts tokens, and clients. The authorizer still refuses an evicted token, seconds later. */
const REMEMBERED = 100_000;

/** Milliseconds: well below the 5 s within which a revocation must take effect. */
const POLL_MS = 2_000;

export function createRevocations({ authorizerClient, clientChanged, logger }: RevocationsOptions) {
  const revoked = createNewest<true>(REMEMBERED);
  const changedAt = createNewest<string>(REMEMBERED);
  let since: string | undefined;
  let isReachable = true;
  let isSecretAccepted = true;
  let polling: Interval | undefined;

  const revoke = (jti: string, expiresAt: string): void => {
    const left = Date.parse(expiresAt) - Date.now();
    // Without a readable expiry, the entry stays until it is evicted.
    if (Number.isNaN(left)) revoked.set(jti, true);
    else if (left > 0) revoked.set(jti, true, { ttl: left });
  };

  /** Never rejects. */
  const poll = async (): Promise<void> => {
    try {
      const changes = await authorizerClient.changes(since);
      for (const { jti, expiresAt } of changes.tokens) revoke(jti, expiresAt);
      for (const { clientId, changedAt: at } of changes.clients) {
        if (changedAt.get(clientId) === at) continue;
        changedAt.set(clientId, at);
        clientChanged(clientId);
      }
      since = changes.asOf;
      [isReachable, isSecretAccepted] = [true, true];
    } catch (error) {
      if (error instanceof SecretRefused) {
        if (isSecretAccepted) logger.error(error.message);
        isSecretAccepted = false;
        return;
      }
      if (isReachable) logger.warn('the revocations cannot be read from the authorizer', { error });
      isReachable = false;
    }
  };

  return {
    isRevoked: (jti: string): boolean => revoked.has(jti),
    poll,
    /** Readiness: rejects until the authorizer has accepted the gateway's secret once. */
    async check(): Promise<void> {
      if (since === undefined) throw new Error('the authorizer has not accepted SERVICE_SECRET yet');
    },
    start(): void {
      polling = repeat(poll, { everyMs: POLL_MS, atOnce: true, failed: () => undefined });
    },
    async close(): Promise<void> {
      await polling?.close();
    },
  };
}
