import { type Check, type Interval, type Logger, repeat } from '@boxoffice/runtime';
import { createNewest } from '../limits/newest.ts';
import { type AuthorizerClient, SecretRefused } from './authorizer-client.ts';

export interface Revocations {
  isRevoked(jti: string): boolean;
  /** Never rejects. */
  poll(): Promise<void>;
  /** Readiness: rejects until the authorizer has accepted the gateway's secret once. */
  readonly check: Check;
  /** Polls from now on. */
  start(): void;
  close(): Promise<void>;
}

interface RevocationsOptions {
  readonly authorizerClient: Pick<AuthorizerClient, 'changes'>;
  readonly clientChanged: (clientId: string) => void;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
}

/** Counts tokens, and clients. The authorizer still refuses an evicted token, seconds later. */
const REMEMBERED = 100_000;

/** Milliseconds: well below the 5 s within which a revocation must take effect. */
const POLL_MS = 2_000;

export function createRevocations({ authorizerClient, clientChanged, logger }: RevocationsOptions): Revocations {
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
    isRevoked: (jti) => revoked.has(jti),
    poll,
    async check() {
      if (since === undefined) throw new Error('the authorizer has not accepted SERVICE_SECRET yet');
    },
    start() {
      polling = repeat(poll, { everyMs: POLL_MS, atOnce: true, failed: () => undefined });
    },
    async close() {
      await polling?.close();
    },
  };
}
