import { probes, silent } from '@boxoffice/messaging/conformance';
import { connectRabbitmq, type RabbitmqOptions } from '../../src/index.ts';
import { planOf } from '../../src/rabbitmq/names.ts';
import { openProxy } from './broker.ts';
import { ownPrefix, removeAll } from './engine.ts';

/** Whether a promise is fulfilled. */
export const succeeds = (promise: Promise<unknown>): Promise<boolean> =>
  promise.then(
    () => true,
    () => false,
  );

/** Separate exchanges and queues for one test: buses behind proxies that can be cut. */
export const openFixture = async (url: string, settings: Partial<RabbitmqOptions> = {}) => {
  const prefix = ownPrefix();
  const options = { url, prefix, logger: silent, retryDelaysMs: [40, 80, 160], declared: probes, ...settings };
  const plan = planOf(options);
  const closers: (() => Promise<void>)[] = [];
  return {
    plan,
    options,
    /** Starts another process. */
    async start(own: Partial<RabbitmqOptions> = {}) {
      const proxy = await openProxy(url);
      closers.push(() => proxy.close());
      const bus = await connectRabbitmq({ ...options, url: proxy.url, ...own });
      closers.push(() => bus.close());
      return { bus, proxy };
    },
    async close() {
      for (const close of closers.reverse()) await close();
      await removeAll(url, plan);
    },
  };
};

export type Fixture = Awaited<ReturnType<typeof openFixture>>;

/** Runs a test with separate exchanges and queues. */
export const withFixture =
  (url: string, work: (fixture: Fixture) => Promise<void>, settings: Partial<RabbitmqOptions> = {}) =>
  async () => {
    const fixture = await openFixture(url, settings);
    try {
      await work(fixture);
    } finally {
      await fixture.close();
    }
  };
