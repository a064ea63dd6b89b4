import type { Channel } from 'amqplib';
import { describeReason } from '../attempts.ts';
import type { Logger, Queue } from '../port.ts';
import type { Link } from './link.ts';
import {
  buildDeadArguments,
  buildRetryArguments,
  buildWorkArguments,
  listTopologyMarks,
  nameDeadQueue,
  nameExchange,
  nameMovesExchange,
  nameRetryQueue,
  nameWorkQueue,
  type Plan,
} from './names.ts';

/** Ensures that exchanges and queues exist: declared by this process where its user may, else by an operator. */
export type Topology = ReturnType<ReturnType<typeof createTopology>>;

/** This user may not declare, and the topology does not exist. */
class TopologyMissing extends Error {
  override readonly name = 'TopologyMissing';
  constructor(mark: string) {
    super(
      `this user of RabbitMQ may not declare exchanges and queues, and those of this release do not exist (${mark}): operator topology declare`,
    );
  }
}

const ACCESS_REFUSED = 403;
const NOT_FOUND = 404;

/** Creates it for one bus over the connection `link`. The user's permission to declare is detected once. */
export function createTopology(plan: Plan, logger: Logger) {
  const marks = listTopologyMarks(plan);
  let mayDeclare = true;
  return (link: Link) => ({
    /** Where the user may not declare, looks whether the whole plan exists. @throws {TopologyMissing} if it does not */
    async ensure(declare: (channel: Channel) => Promise<void>): Promise<void> {
      if (mayDeclare) {
        try {
          return await link.using(declare, { expecting: ACCESS_REFUSED });
        } catch (error) {
          if (codeOf(error) !== ACCESS_REFUSED) throw error;
          mayDeclare = false;
          logger.info('exchanges and queues are declared by the operator', { reason: describeReason(error) });
        }
      }
      let missing = '';
      const check = async (channel: Channel): Promise<void> => {
        for (const mark of marks) {
          missing = mark;
          await channel.checkExchange(mark);
        }
      };
      try {
        await link.using(check, { expecting: NOT_FOUND });
      } catch (error) {
        throw codeOf(error) === NOT_FOUND ? new TopologyMissing(missing) : error;
      }
    },
  });
}

const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown }).code;

const declareExchanges = async (channel: Channel, types: readonly string[], plan: Plan): Promise<void> => {
  for (const exchange of new Set(types.map((type) => nameExchange(type, plan)))) {
    await channel.assertExchange(exchange, 'topic', { durable: true });
  }
};

/** Declares a queue with its retry queues and its dead letters, the targets first, and binds it to its types. */
export async function declareQueue(channel: Channel, queue: Queue, plan: Plan): Promise<void> {
  const { name, types } = queue;
  await declareExchanges(channel, types, plan);
  await channel.assertQueue(nameDeadQueue(name, plan), buildDeadArguments());
  await channel.assertQueue(nameWorkQueue(name, plan), buildWorkArguments(queue, plan));
  for (const delayMs of new Set(plan.retryDelaysMs)) {
    await channel.assertQueue(nameRetryQueue(name, delayMs, plan), buildRetryArguments(name, delayMs, plan));
  }
  for (const type of types) await channel.bindQueue(nameWorkQueue(name, plan), nameExchange(type, plan), type);
  const moves = nameMovesExchange(name, plan);
  await channel.assertExchange(moves, 'direct', { durable: true });
  const retries = plan.retryDelaysMs.map((delayMs) => nameRetryQueue(name, delayMs, plan));
  for (const target of new Set([nameWorkQueue(name, plan), nameDeadQueue(name, plan), ...retries]))
    await channel.bindQueue(target, moves, target);
}

/** Declares the topology of the installation's facts, and marks it as complete by {@link listTopologyMarks}. */
export async function declareAll(channel: Channel, plan: Plan): Promise<void> {
  await declareExchanges(channel, plan.declared.untaken, plan);
  for (const queue of plan.declared.queues) await declareQueue(channel, queue, plan);
  for (const mark of listTopologyMarks(plan)) await channel.assertExchange(mark, 'fanout', { durable: true });
}
