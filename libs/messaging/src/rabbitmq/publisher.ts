import type { ConfirmChannel } from 'amqplib';
import { type Message, Unroutable } from '../port.ts';
import { listFacts } from '../topology.ts';
import { encode, type Wire } from './codec.ts';
import type { Link, Station } from './link.ts';
import { nameExchange, type Plan } from './names.ts';
import type { Topology } from './topology.ts';
import { declareAll } from './topology.ts';

export type Sender = ReturnType<typeof createSender>;

interface Sent {
  returned: boolean;
  readonly end: (error?: unknown) => void;
}

interface SenderOptions {
  readonly link: Link;
  readonly plan: Plan;
  readonly topology: Topology;
  readonly confirmTimeoutMs: number;
}

/** Messages are persistent and mandatory; one has arrived when the broker confirmed it in time, not returned it. */
export function createSender({ link, plan, topology, confirmTimeoutMs }: SenderOptions) {
  let channel: ConfirmChannel | undefined;
  let serial = 0;
  /** Messages in flight, by delivery number: the same message may be in flight to two queues. */
  const sent = new Map<string, Sent>();
  /** Publishing to a missing exchange would close the channel, with every message in flight. */
  const exchanges = new Set(listFacts(plan.declared).map((type) => nameExchange(type, plan)));
  const waiters: (() => void)[] = [];

  const station: Station = {
    name: 'publisher',
    async open(fresh) {
      fresh.on('return', ({ properties }) => {
        const one = sent.get(properties.correlationId);
        if (one) one.returned = true;
      });
      await topology.ensure((declaring) => declareAll(declaring, plan));
      channel = fresh;
    },
    onLost() {
      channel = undefined;
    },
  };

  const send = (exchange: string, key: string, wire: Wire, mandatory: boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      if (!channel || !link.isUp()) throw new Error('not connected to RabbitMQ');
      const number = String(++serial);
      const end = (error?: unknown) => {
        clearTimeout(timer);
        if (!sent.delete(number)) return;
        if (error === undefined) resolve();
        else reject(error);
        if (sent.size === 0) for (const wake of waiters.splice(0)) wake();
      };
      const one: Sent = { returned: false, end };
      const timer = setTimeout(() => end(new Error(`not confirmed within ${confirmTimeoutMs} ms`)), confirmTimeoutMs);
      sent.set(number, one);
      const options = { ...wire.properties, persistent: true, mandatory, correlationId: number };
      try {
        // An unroutable message is returned first and confirmed afterwards.
        channel.publish(exchange, key, wire.content, options, (error: unknown) => {
          if (one.returned) end(new Unroutable(`no queue takes ${key}`));
          else end(error ?? undefined);
        });
      } catch (error) {
        end(error);
      }
    });

  return {
    station,
    /** @throws {Unroutable} if no exchange is declared for the type, or no queue takes it */
    async publish(message: Message): Promise<void> {
      const exchange = nameExchange(message.type, plan);
      if (!exchanges.has(exchange)) throw new Unroutable(`no queue takes ${message.type}`);
      await send(exchange, message.type, encode(message), !plan.declared.untaken.includes(message.type));
    },
    /** Puts a message into the queue of this name that is bound to the direct exchange under it. */
    sendTo: (exchange: string, queue: string, wire: Wire) => send(exchange, queue, wire, true),
    isReady: () => channel !== undefined && link.isUp(),
    /** Resolves when every message in flight is confirmed or has failed. */
    quiet: (): Promise<void> => (sent.size === 0 ? Promise.resolve() : new Promise((resolve) => waiters.push(resolve))),
  };
}
