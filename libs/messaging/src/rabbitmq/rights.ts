import { declared, processes } from '../topology.ts';
import { broadcastQueue, exchangeOf, movesExchange, planOf, workQueue } from './names.ts';

/** The permissions of a RabbitMQ user in the installation's virtual host: regular expressions of names. */
export interface Rights {
  readonly user: string;
  readonly configure: string;
  readonly write: string;
  readonly read: string;
}

const plan = planOf({});
const escaped = (name: string): string => name.replaceAll('.', '\\.');

/** Exactly these names, and any with this prefix. To the broker `^$` means none. */
const names = (exactly: readonly string[], beginning: readonly string[] = []): string => {
  const all = [...new Set(exactly.map(escaped)), ...beginning.map((one) => `${escaped(one)}.*`)].sort();
  return all.length === 0 ? '^$' : `^(${all.join('|')})$`;
};

const ofProcess = (user: string, { publishes, receives = [] }: (typeof processes)[string]): Rights => {
  const own = declared.queues.filter(({ name }) => name.startsWith(`${user}.`));
  const broadcast = receives.length > 0 ? [broadcastQueue(user, '', plan)] : [];
  const received = receives.flatMap(({ types }) => types.map((type) => exchangeOf(type, plan)));
  return {
    user,
    configure: names([], broadcast),
    write: names(
      [...publishes.map((type) => exchangeOf(type, plan)), ...own.map(({ name }) => movesExchange(name, plan))],
      broadcast,
    ),
    read: names([...own.map(({ name }) => workQueue(name, plan)), ...received], broadcast),
  };
};

/**
 * The permissions of each process's user, and of the operator's. A process publishes its own facts, consumes its own
 * queues, moves its own messages to their retries and dead letters, and declares only its own broadcast queues. The
 * operator declares everything, reads and requeues dead letters; `amq.default` is for declaring queues that dead-letter
 * through it.
 */
export const rightsOf = (): readonly Rights[] => {
  const domains = [...new Set(declared.queues.map(({ name }) => `${name.split('.', 1)[0]}.`))];
  const everything = names([], ['boxoffice.', ...domains]);
  const operator = {
    user: 'operator',
    configure: everything,
    write: names(['amq.default'], ['boxoffice.', ...domains]),
    read: everything,
  };
  return [...Object.entries(processes).map(([user, process]) => ofProcess(user, process)), operator];
};
