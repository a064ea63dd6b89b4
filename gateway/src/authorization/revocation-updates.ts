import type { Bus, Subscription } from '@boxoffice/messaging';
import type { Logger } from '@boxoffice/runtime';
import type { Revocations } from './revocations.ts';

export interface RevocationUpdatesOptions {
  readonly revocations: Pick<Revocations, 'listen' | 'poll'>;
  readonly bus: Bus | Promise<Bus | undefined> | undefined;
  /** Whether an authorizer is configured. */
  readonly polls: boolean;
  readonly logger: Pick<Logger, 'warn'>;
}

/** With the response time well below the 5 s within which a revocation must take effect. Milliseconds. */
const POLL_MS = 2_000;

/** Keeps the revocation list current: from the bus at once, and by polling the authorizer every two seconds. */
export const startRevocationUpdates = ({
  revocations,
  bus,
  polls,
  logger,
}: RevocationUpdatesOptions): { close(): Promise<void> } => {
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let subscription: Subscription | undefined;

  const poll = async (): Promise<void> => {
    await revocations.poll();
    if (!closed) timer = setTimeout(poll, POLL_MS);
  };
  if (polls) void poll();

  const subscribe = async (): Promise<void> => {
    try {
      const connected = await bus;
      if (!connected || closed) return;
      subscription = await revocations.listen(connected);
      if (closed) await subscription.close();
    } catch (error) {
      logger.warn('the subscription to revocations failed; they are polled instead', { error });
    }
  };
  void subscribe();

  return {
    async close() {
      closed = true;
      clearTimeout(timer);
      await subscription?.close();
    },
  };
};
