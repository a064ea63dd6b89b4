// The operator's commands for messages: dead letters, publishing facts again, and the topology of RabbitMQ.

import type { CurrentFact, CurrentFacts } from '@boxoffice/service';
import type { Store } from '@boxoffice/store';
import { type Command, Misuse } from '../command.ts';
import { services } from '../installation.ts';
import { createProgress } from '../progress.ts';

/** The services that publish facts to queues, in the order in which a reader needs their facts. */
const publishers = ['contacts', 'catalog', 'orders', 'tickets'] as const;

interface Republishing {
  readonly store: Store;
  /** Epoch milliseconds; undefined: from the beginning. */
  readonly since: number | undefined;
  /** Counts only, without a write. */
  readonly dryRun: boolean;
  /** Receives the count so far. */
  readonly tell: (count: number) => void;
}

/** The number of facts per write to the outbox. */
const BATCH = 200;

/**
 * Writes the facts implied by a service's documents into its outbox, from which the running service publishes them.
 * Returns the count per type. Repeatable: facts are idempotent for their consumers.
 */
const republish = async (
  currentFacts: CurrentFacts,
  { store, since, dryRun, tell }: Republishing,
): Promise<Record<string, number>> => {
  const counts: Record<string, number> = Object.fromEntries(currentFacts.types.map((type) => [type, 0]));
  const waiting = new Map<string, CurrentFact[]>();
  const flush = async (institution: string): Promise<void> => {
    const facts = waiting.get(institution) ?? [];
    waiting.delete(institution);
    if (!dryRun) await store.outbox.add(institution, facts);
  };
  let count = 0;
  for await (const fact of currentFacts.read(store)) {
    if (since !== undefined && fact.changedAt !== null && fact.changedAt < since) continue;
    counts[fact.type] = (counts[fact.type] ?? 0) + 1;
    count += 1;
    tell(count);
    const batch = waiting.get(fact.institution) ?? [];
    batch.push(fact);
    waiting.set(fact.institution, batch);
    if (batch.length >= BATCH) await flush(fact.institution);
  }
  for (const institution of [...waiting.keys()]) await flush(institution);
  return counts;
};

/** Parses an instant. @throws {Misuse} */
const instantOf = (given: string | boolean | undefined): number | undefined => {
  if (given === undefined) return undefined;
  const instant = typeof given === 'string' && /^\d{4}-\d\d-\d\d/.test(given) ? Date.parse(given) : Number.NaN;
  if (Number.isNaN(instant)) throw new Misuse('--since is not a time such as 2027-03-14T19:30:00Z');
  return instant;
};

const chosen = (given: string | boolean | undefined): readonly (typeof publishers)[number][] => {
  if (given === undefined) return publishers;
  const found = publishers.filter((name) => name === given);
  if (found.length > 0) return found;
  throw new Misuse(`--service ${given} publishes no facts; ${publishers.join(', ')} do`);
};

export const facts: readonly Command[] = [
  {
    name: 'facts republish',
    usage: '[--since INSTANT] [--service NAME] [--dry-run]',
    about:
      'publishes again every fact that the stored orders, tickets, places, performances, institutions and contacts imply, for consumers that missed some after a loss of the broker or a restore; consumers ignore facts that they know, so it may be repeated. The facts are in the outboxes: running services publish them within seconds, others when they start. --since: of what changed then or later; --service: contacts, catalog, orders or tickets alone; --dry-run: counts',
    async run(installation, { options }) {
      const since = instantOf(options.since);
      const wanted = chosen(options.service);
      const dryRun = options['dry-run'] === true;
      const absent = new Set(installation.missing());
      const progress = createProgress('facts republish');
      const rows: object[] = [];
      try {
        for (const service of wanted.filter((name) => !absent.has(name))) {
          const { currentFacts } = services[service];
          if (!currentFacts) continue;
          const store = await installation.store(service);
          const tell = (count: number) => progress.tell(`${service}: ${count} facts`);
          const counts = await republish(currentFacts, { store, since, dryRun, tell });
          for (const [fact, count] of Object.entries(counts))
            rows.push({ service, fact, [dryRun ? 'wouldRepublish' : 'republished']: count });
        }
      } finally {
        progress.end();
      }
      return rows;
    },
  },
];
