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
  topologyMarks,
  workQueue,
} from '../../src/rabbitmq/names.ts';
import { type BrokerProxy, onChannel, openProxy } from './broker.ts';

/** A prefix that no other test uses. */
export const ownPrefix = (): string => `test-${randomBytes(6).toString('hex')}.`;

/** Deletes all exchanges and queues of a plan from the broker. */
export const removeAll = (url: string, plan: Plan): Promise<void> =>
  onChannel(url, async (channel) => {
    const { queues, broadcasts } = plan.declared;
    const names = queues.flatMap(({ name }) => [
      workQueue(name, plan),
      deadQueue(name, plan),
      ...plan.retryDelaysMs.map((delayMs) => retryQueue(name, delayMs, plan)),
    ]);
    const types = [...queues, ...broadcasts].flatMap((one) => one.types);
    const exchanges = [
      ...queues.map(({ name }) => movesExchange(name, plan)),
      ...topologyMarks(plan),
      ...new Set(types.map((type) => exchangeOf(type, plan))),
    ];
    await Promise.all([
      ...names.map((name) => channel.deleteQueue(name)),
      ...exchanges.map((name) => channel.deleteExchange(name)),
    ]);
  });

/** RabbitMQ with separate exchanges and queues; a process is a bus behind its own proxy, and killed by cutting it. */
export const rabbitmq = (url: string): Engine => ({
  async open(settings) {
    const prefix = ownPrefix();
    const buses: Bus[] = [];
    const proxies: BrokerProxy[] = [];
    return {
      async start() {
        const proxy = await openProxy(url);
        proxies.push(proxy);
        const bus = await connectRabbitmq({ ...settings, url: proxy.url, prefix });
        buses.push(bus);
        return { bus, kill: async () => proxy.cut() };
      },
      async remove() {
        await Promise.all(buses.map((bus) => bus.close()));
        for (const proxy of proxies) await proxy.close();
        await removeAll(url, planOf({ ...settings, prefix }));
      },
    };
  },
});
