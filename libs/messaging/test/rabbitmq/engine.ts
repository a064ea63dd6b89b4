import { randomBytes } from 'node:crypto';
import type { Engine } from '@boxoffice/messaging/conformance';
import { type Bus, connectRabbitmq } from '../../src/index.ts';
import {
  deadQueue,
  exchangeOf,
  movesExchange,
  type Plan,
  planOf,
  retryQueue,
  topologyMark,
  workQueue,
} from '../../src/rabbitmq/names.ts';
import { onChannel, openWay, type Way } from './broker.ts';

/** A prefix that no other test uses. */
export const ownPrefix = (): string => `test-${randomBytes(6).toString('hex')}.`;

/** Deletes everything of a plan from the broker. */
export const removeAll = (url: string, plan: Plan): Promise<void> =>
  onChannel(url, async (channel) => {
    const { queues, broadcasts } = plan.declared;
    for (const { name } of queues) {
      await channel.deleteQueue(workQueue(name, plan));
      await channel.deleteQueue(deadQueue(name, plan));
      await channel.deleteExchange(movesExchange(name, plan));
      for (const delayMs of plan.retryDelaysMs) await channel.deleteQueue(retryQueue(name, delayMs, plan));
    }
    await channel.deleteExchange(topologyMark(plan));
    const types = [...queues, ...broadcasts].flatMap((one) => one.types);
    for (const exchange of new Set(types.map((type) => exchangeOf(type, plan)))) await channel.deleteExchange(exchange);
  });

/** RabbitMQ with exchanges and queues of its own; a process is a bus behind its own way, and killed by cutting it. */
export const rabbitmq = (url: string): Engine => ({
  async open(settings) {
    const prefix = ownPrefix();
    const buses: Bus[] = [];
    const ways: Way[] = [];
    return {
      async start() {
        const way = await openWay(url);
        ways.push(way);
        const bus = await connectRabbitmq({ ...settings, url: way.url, prefix });
        buses.push(bus);
        return { bus, kill: async () => way.cut() };
      },
      async remove() {
        await Promise.all(buses.map((bus) => bus.close()));
        for (const way of ways) await way.close();
        await removeAll(url, planOf({ ...settings, prefix }));
      },
    };
  },
});
