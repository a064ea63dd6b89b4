import type { Queue, QueueDepth } from '../port.ts';
import type { Link } from './link.ts';
import { deadQueue, type Plan, retryQueue, workQueue } from './names.ts';

/** Reads the depths of queues from the broker: passive declarations on one channel. They count ready messages only. */
export const depthsOf = (queues: readonly Queue[], link: Link, plan: Plan): Promise<QueueDepth[]> =>
  link.using(async (channel) => {
    const count = async (queue: string) => (await channel.checkQueue(queue)).messageCount;
    const delays = [...new Set(plan.retryDelaysMs)];
    return Promise.all(
      queues.map(async ({ name }) => {
        const retries = await Promise.all(delays.map((delay) => count(retryQueue(name, delay, plan))));
        return {
          queue: name,
          waiting: await count(workQueue(name, plan)),
          retrying: retries.reduce((sum, one) => sum + one, 0),
          dead: await count(deadQueue(name, plan)),
        };
      }),
    );
  });
