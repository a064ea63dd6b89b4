import type { Metrics } from '@boxoffice/runtime';
import { kinds, type MailDocument } from '../store.ts';
import type { Attempted } from './attempt.ts';
import type { Outbox } from './outbox.ts';

/** The ends of attempts that are counted: `later` and `unreachable` are followed by another attempt. */
const OUTCOMES = ['sent', 'failed', 'dropped', 'later', 'unreachable'] as const;

/** Counts the attempts of this process, each outcome from 0, and reads what waits when Prometheus scrapes. */
export const watchMails = (
  metrics: Metrics | undefined,
  outbox: Pick<Outbox, 'oldest'>,
  { isOn, now }: { readonly isOn: () => boolean; readonly now: () => number },
): ((mail: MailDocument, attempted: Attempted) => void) => {
  if (!metrics) return () => undefined;
  const attempts = metrics.counter({
    name: 'pos_mail_attempts_total',
    help: 'Attempts to send mails to shoppers, by how they ended; failed and dropped ones are not tried again',
    labels: ['kind', 'outcome'],
  });
  for (const kind of kinds) for (const outcome of OUTCOMES) attempts({ kind, outcome }, 0);
  metrics.watch(
    { name: 'pos_mail_waiting_seconds', help: 'For how long the mail has waited that waits the longest' },
    async () => {
      const oldest = isOn() ? await outbox.oldest() : undefined;
      return [{ value: oldest === undefined ? 0 : Math.max(0, now() - oldest) / 1_000 }];
    },
  );
  return ({ kind }, { outcome }) => {
    if (outcome !== 'erased') attempts({ kind, outcome });
  };
};
