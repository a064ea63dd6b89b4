import type { Asked } from './asking.ts';
import type { OrderView } from './views.ts';

/** What a client can ask for. */
export type Action = 'create' | 'confirm' | 'cancel' | 'pay' | 'reserve' | 'extend' | 'add' | 'print' | 'control';

/** What a client knows of a request: done, not done, or it has heard nothing that it can rely on. */
export type Outcome = 'ok' | 'refused' | 'unknown';

/** One thing that a client asked for, under one idempotency key, as often as it asked. */
export interface Entry extends Omit<Asked, 'reply'> {
  readonly action: Action;
  readonly key: string;
  /** What it was about: an order (null for one that was to be made), or a ticket. */
  readonly subject: string | null;
  /** The money of a payment, in minor units. */
  readonly amount?: number;
  readonly outcome: Outcome;
  /** Of the last answer; null when there was none. */
  readonly status: number | null;
  readonly code: string | null;
  /** The body of the answer; null unless it was `ok`. */
  readonly answer: unknown;
  /** What the same key gave when it was used once more after the answer. */
  readonly repeated?: 'the same' | string;
}

/** What clients remember of a round. */
export interface Journal {
  readonly entries: readonly Entry[];
  write(entry: Entry): void;
}

/** An empty journal. */
export const createJournal = (): Journal => {
  const entries: Entry[] = [];
  return { entries, write: (entry) => void entries.push(entry) };
};

/** The order that an entry is about, made or changed; undefined when the client does not know it. */
export const orderOf = ({ action, subject, answer }: Entry): string | undefined => {
  if (action === 'create') return (answer as OrderView | null)?.id;
  return action === 'print' || action === 'control' ? undefined : (subject ?? undefined);
};

/** How many entries had each outcome. */
export const countsOf = (entries: readonly Entry[]): Record<Outcome, number> => {
  const counts = { ok: 0, refused: 0, unknown: 0 };
  for (const { outcome } of entries) counts[outcome] += 1;
  return counts;
};
