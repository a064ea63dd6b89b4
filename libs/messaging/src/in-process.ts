import { attemptTo, defaultRetryDelaysMs, deriveLetterId } from './attempts.ts';
import { createPartitions, type Partitions } from './partitions.ts';
import {
  AT_ONCE,
  type Bus,
  type DeadLetterStore,
  type DeadLetters,
  type Handler,
  type Logger,
  type Message,
  type Queue,
  type Subscription,
  Unroutable,
} from './port.ts';
import { type Declared, declared as installation, listFacts } from './topology.ts';

export interface InProcessOptions {
  readonly deadLetters: DeadLetterStore;
  readonly logger: Logger;
  /** Milliseconds before the second, third and later attempts. Default: 5 s, 30 s, 5 min. */
  readonly retryDelaysMs?: readonly number[];
  /** Default: the installation's. A declared queue without a subscription does not exist. */
  readonly declared?: Declared;
  /** Queues that this process will subscribe to: until then their facts cannot be published and stay in the outbox. */
  readonly serves?: readonly Queue[];
}

interface Delivery {
  readonly message: Message;
  readonly attempt: number;
  readonly done: (end: 'handled' | 'dead') => void;
  readonly failed: (error: unknown) => void;
}

interface Consumers {
  readonly queue: Queue;
  readonly handlers: Handler[];
  readonly partitions: Partitions<Delivery>;
  readonly delayed: Map<Delivery, NodeJS.Timeout>;
  next: number;
}

/** Stores only dead letters: `publish` resolves after every handler, so what a crash interrupts is in the outbox. */
export function createInProcessBus(options: InProcessOptions): Bus {
  const { deadLetters: letters, logger, retryDelaysMs = defaultRetryDelaysMs, declared = installation } = options;
  const queues = new Map<string, Consumers>();
  const facts = new Set(listFacts(declared));
  const replaying = new Set<string>();
  let closed = false;

  const noSubscriber = (queue: Queue) => new Error(`${queue.name} has no subscriber now`);

  const work = async (consumers: Consumers, delivery: Delivery): Promise<undefined> => {
    const { queue, handlers, partitions, delayed } = consumers;
    const { message, attempt } = delivery;
    const handler = handlers[consumers.next++ % Math.max(1, handlers.length)];
    if (!handler) return void delivery.failed(noSubscriber(queue));
    const outcome = await attemptTo(handler, message, attempt, retryDelaysMs);
    if (outcome.state === 'handled') return void delivery.done('handled');
    const { reason, error } = outcome;
    const about = { queue: queue.name, type: message.type, messageId: message.id, attempt };
    if (outcome.state === 'dead') {
      logger.error('a message became a dead letter', { ...about, error });
      const deadSince = new Date().toISOString();
      const letter = { id: deriveLetterId(queue.name, message.id), queue: queue.name, message, reason, deadSince };
      return letters.add({ ...letter, attempts: attempt }).then(
        () => void delivery.done('dead'),
        (failure: unknown) => void delivery.failed(failure),
      );
    }
    if (handlers.length === 0) return void delivery.failed(noSubscriber(queue));
    logger.warn('a message will be retried', { ...about, waitMs: outcome.delayMs, error });
    const again = { ...delivery, attempt: attempt + 1 };
    const retry = () => {
      delayed.delete(again);
      partitions.push(message.key, again);
    };
    delayed.set(again, setTimeout(retry, outcome.delayMs));
  };

  const consumersOf = (queue: Queue): Consumers => {
    const known = queues.get(queue.name);
    if (known) return known;
    const consumers: Consumers = {
      queue,
      handlers: [],
      partitions: createPartitions<Delivery>({
        limit: queue.atOnce ?? AT_ONCE,
        work: (delivery) => work(consumers, delivery),
      }),
      delayed: new Map(),
      next: 0,
    };
    queues.set(queue.name, consumers);
    return consumers;
  };
  for (const queue of options.serves ?? []) consumersOf(queue);

  const give = (consumers: Consumers, message: Message): Promise<'handled' | 'dead'> =>
    new Promise((done, failed) => consumers.partitions.push(message.key, { message, attempt: 1, done, failed }));

  /** Rejects the messages that were not started, and resolves when those in hand are finished. */
  const closeConsumers = async ({ queue, partitions, delayed }: Consumers): Promise<void> => {
    const waiting = [...partitions.drop(), ...delayed.keys()];
    for (const timer of delayed.values()) clearTimeout(timer);
    delayed.clear();
    for (const { failed } of waiting) failed(noSubscriber(queue));
    await partitions.quiet();
  };

  const deadLetters: DeadLetters = {
    list: async (queue) =>
      (await letters.list(queue)).sort((a, b) => (a.deadSince < b.deadSince ? -1 : 1)).slice(0, 10_000),
    async replay(id) {
      const letter = await letters.get(id);
      if (!letter) return false;
      const consumers = queues.get(letter.queue);
      if (closed || !consumers || consumers.handlers.length === 0)
        throw noSubscriber({ name: letter.queue, types: [] });
      if (replaying.has(id)) return true;
      replaying.add(id);
      // The letter stays until the message is handled: a crash in between must not lose it.
      give(consumers, letter.message)
        .then(async (end) => void (end === 'handled' && (await letters.remove(id))))
        .catch((error: unknown) => logger.warn('a replayed dead letter stays', { queue: letter.queue, error }))
        .finally(() => replaying.delete(id));
      return true;
    },
    drop: (id) => letters.remove(id),
  };

  return {
    system: 'in_process',
    async publish(message) {
      if (closed) throw new Error('the bus is closed');
      const takers = [...queues.values()].filter(({ queue }) => queue.types.includes(message.type));
      if (takers.length === 0 && !facts.has(message.type)) {
        throw new Unroutable(`no queue is declared for ${message.type}`);
      }
      const idle = takers.find(({ handlers }) => handlers.length === 0);
      if (idle) throw noSubscriber(idle.queue);
      // Each handler gets a copy, as from a broker, so that its changes do not affect other handlers.
      const text = JSON.stringify(message);
      const copy = (): Message => JSON.parse(text);
      // All, not the first failure: publishing again while another queue still handles it would deliver it twice.
      const ends = await Promise.allSettled(takers.map((consumers) => give(consumers, copy())));
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
    },

    async subscribe(queue, handler): Promise<Subscription> {
      if (closed) throw new Error('the bus is closed');
      const consumers = consumersOf(queue);
      if (consumers.queue.types.join() !== queue.types.join()) throw new Error(`${queue.name} has other types already`);
      const own = new Set<Promise<void>>();
      const watchHandler: Handler = (message, attempt) => {
        const running = handler(message, attempt);
        own.add(running);
        return running.finally(() => own.delete(running));
      };
      consumers.handlers.push(watchHandler);
      return {
        async close() {
          const at = consumers.handlers.indexOf(watchHandler);
          if (at >= 0) consumers.handlers.splice(at, 1);
          if (consumers.handlers.length === 0) await closeConsumers(consumers);
          else await Promise.allSettled(own);
        },
      };
    },

    deadLetters,

    depths: (wanted) =>
      Promise.all(
        wanted.map(async ({ name: queue }) => {
          const { partitions, delayed } = queues.get(queue) ?? {};
          const dead = letters.count ? await letters.count(queue) : (await letters.list(queue)).length;
          return { queue, waiting: partitions?.size ?? 0, retrying: delayed?.size ?? 0, dead };
        }),
      ),

    async ping() {
      if (closed) throw new Error('the bus is closed');
    },

    async close() {
      closed = true;
      for (const { handlers } of queues.values()) handlers.splice(0);
      await Promise.all([...queues.values()].map(closeConsumers));
    },
  };
}
