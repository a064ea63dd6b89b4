import { builtInRows, listQueues, type ServiceRow } from '@boxoffice/runtime/services';
import { createPlan, nameExchange, nameMovesExchange, nameWorkQueue } from './names.ts';

/** The permissions of a RabbitMQ user in the installation's virtual host: regular expressions of names. */
export type Rights = ReturnType<typeof ofService>;

const plan = createPlan({});

/**
 * A service publishes its own facts and consumes its own queues; the gateway has no user; the operator declares
 * everything. `amq.default` is for declaring queues that dead-letter through it.
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
  return [...rows.filter(({ name }) => name !== 'gateway').map(ofService), operator];
}

/** Exactly these names, and any with this prefix. To the broker `^$` means none. */
const names = (exactly: readonly string[], beginning: readonly string[] = []): string => {
  const all = [...new Set(exactly.map(escapeDots)), ...beginning.map((one) => `${escapeDots(one)}.*`)].sort();
  return all.length === 0 ? '^$' : `^(${all.join('|')})$`;
};

const escapeDots = (name: string): string => name.replaceAll('.', '\\.');

const ofService = (row: ServiceRow) => {
  const own = listQueues(row).map(({ queue }) => queue);
  const published = row.publishes.map((type) => nameExchange(type, plan));
  return {
    user: row.name,
    configure: names([]),
    write: names([...published, ...own.map((name) => nameMovesExchange(name, plan))]),
    read: names(own.map((name) => nameWorkQueue(name, plan))),
  };
};
