import { builtInRows, listBroadcasts, listQueues, type ServiceRow } from '@boxoffice/runtime/services';
import { createPlan, nameBroadcastQueue, nameExchange, nameMovesExchange, nameWorkQueue } from './names.ts';

/** The permissions of a RabbitMQ user in the installation's virtual host: regular expressions of names. */
export interface Rights {
  readonly user: string;
  readonly configure: string;
  readonly write: string;
  readonly read: string;
}

const plan = createPlan({});

/**
 * A process publishes its own facts, consumes its own queues and declares only its own broadcast queues; the operator
 * declares everything. `amq.default` is for declaring queues that dead-letter through it.
 */
export function listRights(rows: readonly ServiceRow[] = builtInRows): readonly Rights[] {
  const domains = rows.filter((row) => listQueues(row).length > 0).map(({ name }) => `${name}.`);
  const everything = names([], ['boxoffice.', ...domains]);
  const operator = {
    user: 'operator',
    configure: everything,
    write: names(['amq.default'], ['boxoffice.', ...domains]),
    read: everything,
  };
  return [...rows.map(ofProcess), operator];
}

/** Exactly these names, and any with this prefix. To the broker `^$` means none. */
const names = (exactly: readonly string[], beginning: readonly string[] = []): string => {
  const all = [...new Set(exactly.map(escapeDots)), ...beginning.map((one) => `${escapeDots(one)}.*`)].sort();
  return all.length === 0 ? '^$' : `^(${all.join('|')})$`;
};

const escapeDots = (name: string): string => name.replaceAll('.', '\\.');

const ofProcess = (row: ServiceRow): Rights => {
  const { name: user, publishes } = row;
  const own = listQueues(row).map(({ queue }) => queue);
  const received = listBroadcasts(row);
  const broadcast = received.length > 0 ? [nameBroadcastQueue(user, '', plan)] : [];
  return {
    user,
    configure: names([], broadcast),
    write: names(
      [...publishes.map((type) => nameExchange(type, plan)), ...own.map((name) => nameMovesExchange(name, plan))],
      broadcast,
    ),
    read: names(
      [...own.map((name) => nameWorkQueue(name, plan)), ...received.map((type) => nameExchange(type, plan))],
      broadcast,
    ),
  };
};
