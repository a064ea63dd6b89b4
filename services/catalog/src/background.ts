import { type Logger, repeat } from '@boxoffice/runtime';
import type { Store } from '@boxoffice/store';
import { resumeCancellations } from './products/cancellation.ts';
import { announceInstitutions } from './provisioning/institutions.ts';

const EVERY_MS = 30_000;

/**
 * At once and every 30 seconds, until it is closed: completes interrupted cancellations, and announces institutions that
 * a former release has created.
 */
export const startBackground = (store: Store, logger: Pick<Logger, 'error'>): { close(): Promise<void> } => {
  const loop = (work: (store: Store) => Promise<void>, failure: string) =>
    repeat(() => work(store), {
      everyMs: EVERY_MS,
      atOnce: true,
      failed: (error) => logger.error(`${failure}; the next run tries again`, { error }),
    });
  const loops = [
    loop(resumeCancellations, 'interrupted cancellations of products could not be completed'),
    loop(announceInstitutions, 'institutions could not be announced'),
  ];
  return {
    close: async () => {
      await Promise.all(loops.map((one) => one.close()));
    },
  };
};
