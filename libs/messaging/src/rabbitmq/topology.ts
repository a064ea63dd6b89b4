import type { Channel } from 'amqplib';
import { reasonOf } from '../attempts.ts';
import type { Logger } from '../port.ts';
import type { Link } from './link.ts';
import { type Plan, topologyMarks } from './names.ts';

/** Ensures that exchanges and queues exist: declared by this process where its user may, else by an operator. */
export type Topology = ReturnType<ReturnType<typeof createTopology>>;

/** This user may not declare, and the topology does not exist. */
export class TopologyMissing extends Error {
  override readonly name = 'TopologyMissing';
  constructor(mark: string) {
    super(
      `this user of RabbitMQ may not declare exchanges and queues, and those of this release do not exist (${mark}): operator topology declare`,
    );
  }
}

const ACCESS_REFUSED = 403;
const NOT_FOUND = 404;
const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown }).code;

/** Creates it for one bus over the connection `link`. The user's permission to declare is detected once. */
export const createTopology = (plan: Plan, logger: Logger) => {
  const marks = topologyMarks(plan);
  let mayDeclare = true;
  return (link: Link) => ({
    /**
     * Runs `declare` on a channel of its own; where the user may not declare, looks whether the whole plan exists.
     * @throws {TopologyMissing} if it does not
     */
    async ensure(declare: (channel: Channel) => Promise<void>): Promise<void> {
      if (mayDeclare) {
        try {
          return await link.using(declare, { expecting: ACCESS_REFUSED });
        } catch (error) {
          if (codeOf(error) !== ACCESS_REFUSED) throw error;
          mayDeclare = false;
          logger.info('exchanges and queues are declared by the operator', { reason: reasonOf(error) });
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
};
