import { deleteWebhook, listDeliveries, listWebhooks, pauseWebhook } from '@boxoffice/events';
import { collectDeclarations, declareRabbitmqTopology, listRights } from '@boxoffice/messaging';
import { amqpUrl, createLogger, readSettings, StartFault, tlsCaFile } from '@boxoffice/runtime';
import { readPresentRows } from '@boxoffice/runtime/services';
import type { CurrentFact, CurrentFacts } from '@boxoffice/service';
import type { Store } from '@boxoffice/store';
import { requireInstitution } from './accounts/institutions.ts';
import { type Command, createProgress, type Given, Misuse } from './command.ts';
import { type Installation, Refused, services } from './installation.ts';

/** The services that publish facts to queues, in the order in which a reader needs their facts. */
const publishers = ['contacts', 'catalog', 'orders', 'tickets'] as const;

interface Republishing {
  readonly store: Store;
  /** Epoch milliseconds; undefined: from the beginning. */
  readonly since: number | undefined;
  /** Counts only, without a write. */
  readonly dryRun: boolean;
  readonly tell: (count: number) => void;
}

/** The number of facts per write to the outbox. */
const BATCH = 200;

/** Running services publish them, and do what is due. Returns the count per type. Repeatable: consumers know them. */
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
    if (!dryRun) await currentFacts.repeat?.(store, fact);
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

const choosePublishers = (given: string | boolean | undefined): readonly (typeof publishers)[number][] => {
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
      'publishes again every fact that the stored orders, tickets, places, performances, institutions and contacts ' +
      'imply, for consumers that missed some after a loss of the broker or a restore, and has the tickets of ' +
      'confirmed orders issued that are missing; consumers ignore facts that they know, so it may be repeated. The ' +
      'facts are in the outboxes: running services publish them within seconds, others when they start. --since: of ' +
      'what changed then or later; --service: contacts, catalog, orders or tickets alone; --dry-run: counts',
    async run(installation, { options }) {
      const since = instantOf(options.since);
      const wanted = choosePublishers(options.service);
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

const letterOf = async (installation: Installation, { words: [id = ''] }: Given) => {
  const found = (await (await installation.deadLetters()).list()).find((letter) => letter.id === id);
  if (!found) throw new Refused(`there is no dead letter ${id}`);
  return found;
};

export const deadLetters: readonly Command[] = [
  {
    name: 'dead-letters list',
    usage: '[QUEUE]',
    about: 'lists messages that no retry could deliver',
    async run(installation, { words: [queue] }) {
      const letters = await (await installation.deadLetters()).list(queue);
      return letters.map(({ id, queue: from, message, attempts, deadSince, reason }) => ({
        id,
        queue: from,
        type: message.type,
        attempts,
        deadSince,
        reason,
      }));
    },
  },
  {
    name: 'dead-letters show',
    usage: 'ID',
    about: 'shows one dead letter with its message',
    run: letterOf,
  },
  {
    name: 'dead-letters replay',
    usage: 'ID',
    about: 'puts it back into its queue; on the in-process bus the running product does so within seconds',
    async run(installation, given) {
      const { id } = await letterOf(installation, given);
      const found = await (await installation.deadLetters()).replay(id);
      return found ? `${id} is back in its queue` : `${id} is gone: it was replayed or dropped meanwhile`;
    },
  },
  {
    name: 'dead-letters drop',
    usage: 'ID',
    about: 'forgets it for good',
    async run(installation, given) {
      const { id } = await letterOf(installation, given);
      await (await installation.deadLetters()).drop(id);
      return `${id} is dropped`;
    },
  },
];

/** The timeout of RabbitMQ's responses. */
const CONNECT_MS = 30_000;

export const topology: readonly Command[] = [
  {
    name: 'topology declare',
    usage: '',
    about:
      'declares the exchanges and queues of this release, and of the services in SERVICES_FILE, in RabbitMQ; before ' +
      'its processes start, if their users have no right to declare (repeating it changes nothing)',
    data: 'unneeded',
    async run() {
      const { url } = readSettings({ url: amqpUrl, tlsCaFile });
      if (url === undefined) throw new Refused('AMQP_URL is not set; the bus of a single process needs no topology');
      const rows = readPresentRows();
      const logger = createLogger({ service: 'operator', level: 'error' });
      const { queues } = await declareRabbitmqTopology({
        url,
        logger,
        connectTimeoutMs: CONNECT_MS,
        declared: collectDeclarations(rows),
      }).catch((error: Error) => {
        throw new StartFault(`AMQP_URL: ${error.message}`);
      });
      return `declared: ${queues.map(({ name }) => name).join(', ')}, with their exchanges, retry and dead-letter queues`;
    },
  },
  {
    name: 'topology rights',
    usage: '',
    about: 'prints the least rights of each process’s RabbitMQ user in the virtual host (configure, write, read)',
    data: 'unneeded',
    run: async () => listRights(readPresentRows()),
  },
];

/** Attempts that `webhooks deliveries` prints. */
const MOST_SHOWN = 50;

export const webhooks: readonly Command[] = [
  {
    name: 'webhooks list',
    usage: 'INSTITUTION',
    about: 'lists the webhooks of an institution with their state, their last delivery and how many wait',
    run: async (installation, { words: [institution = ''] }) => {
      await requireInstitution(installation, institution);
      return listWebhooks(await installation.store('events'), institution);
    },
  },
  {
    name: 'webhooks deliveries',
    usage: 'INSTITUTION WEBHOOK_ID',
    about: `lists the newest ${MOST_SHOWN} attempts of a webhook, with what failed`,
    run: async (installation, { words: [institution = '', webhookId = ''] }) =>
      listDeliveries(await installation.store('events'), institution, webhookId, MOST_SHOWN),
  },
  {
    name: 'webhooks pause',
    usage: 'INSTITUTION WEBHOOK_ID',
    about: 'pauses a webhook: its events are kept, and delivered once its institution activates it',
    async run(installation, { words: [institution = '', webhookId = ''] }) {
      await pauseWebhook(await installation.store('events'), institution, webhookId);
      return `${webhookId} is paused`;
    },
  },
  {
    name: 'webhooks delete',
    usage: 'INSTITUTION WEBHOOK_ID',
    about: 'deletes a webhook; attempts that have begun are finished',
    async run(installation, { words: [institution = '', webhookId = ''] }) {
      await deleteWebhook(await installation.store('events'), institution, webhookId);
      return `${webhookId} is deleted`;
    },
  },
];
