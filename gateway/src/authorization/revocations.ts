import { type Bus, broadcasts, type Message, type Subscription } from '@boxoffice/messaging';
import { type Check, type Interval, type Logger, repeat } from '@boxoffice/runtime';
import { createNewest } from '../limits/newest.ts';
import { type AuthorizerClient, SecretRefused } from './authorizer-client.ts';

export interface Revocations {
  isRevoked(jti: string): boolean;
  /** Covers the time that the bus is down; never rejects. */
  poll(): Promise<void>;
  /** Readiness: rejects until the authorizer has accepted the gateway's secret once. */
  readonly check: Check;
  /** Reads revocations from the bus at once, and, where an authorizer is configured, by polling. */
  start(bus: Bus | Promise<Bus | undefined> | undefined, isPolled: boolean): void;
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
  let isClosed = false;
  let polling: Interval | undefined;
  let subscription: Subscription | undefined;

  const revoke = (jti: string, expiresAt: string | undefined): void => {
    const left = Date.parse(expiresAt ?? '') - Date.now();
    // Without a readable expiry, the entry stays until it is evicted.
    if (Number.isNaN(left)) revoked.set(jti, true);
    else if (left > 0) revoked.set(jti, true, { ttl: left });
  };

  const onMessage = ({ type, key, data }: Message): void => {
    const jti = text(data, 'jti');
    if (type === 'token.revoked' && jti !== undefined) revoke(jti, text(data, 'expiresAt'));
    else if (type === 'client.changed') clientChanged(text(data, 'clientId') ?? key);
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

  const subscribe = async (bus: Bus | Promise<Bus | undefined> | undefined): Promise<void> => {
    try {
      const connected = await bus;
      if (!connected || isClosed) return;
      subscription = await connected.listen(broadcasts.access, onMessage);
      if (isClosed) await subscription.close();
    } catch (error) {
      logger.warn('the subscription to revocations failed; they are polled instead', { error });
    }
  };

  return {
    isRevoked: (jti) => revoked.has(jti),
    poll,
    async check() {
      if (since === undefined) throw new Error('the authorizer has not accepted SERVICE_SECRET yet');
    },
    start(bus, isPolled) {
      if (isPolled) polling = repeat(poll, { everyMs: POLL_MS, atOnce: true, failed: () => undefined });
      void subscribe(bus);
    },
    async close() {
      isClosed = true;
      await Promise.all([polling?.close(), subscription?.close()]);
    },
  };
}

const text = (data: object, name: string): string | undefined => {
  const value = (data as Readonly<Record<string, unknown>>)[name];
  return typeof value === 'string' ? value : undefined;
};
