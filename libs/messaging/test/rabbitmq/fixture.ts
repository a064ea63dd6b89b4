import { probes } from '@boxoffice/messaging/conformance';
import { connectRabbitmq, type RabbitmqOptions } from '../../src/index.ts';
import { type Plan, planOf } from '../../src/rabbitmq/names.ts';
import { openWay } from './broker.ts';
import { ownPrefix, removeAll } from './engine.ts';

export const silent = { info() {}, warn() {}, error() {} };
export const patience = { patienceMs: 10_000 };

/** Whether a promise is fulfilled. */
export const succeeds = (promise: Promise<unknown>): Promise<boolean> =>
  promise.then(
    () => true,
    () => false,
  );

/** A corner of the broker for one test: buses behind ways that can be cut. */
export const openCorner = async (url: string, settings: Partial<RabbitmqOptions> = {}) => {
  const prefix = ownPrefix();
  const { retryDelaysMs = [40, 80, 160], declared = probes, maxLength } = settings;
  const plan: Plan = planOf({ prefix, retryDelaysMs, declared, ...(maxLength === undefined ? {} : { maxLength }) });
  const closers: (() => Promise<void>)[] = [];
  const options = { url, prefix, logger: silent, ...settings, retryDelaysMs, declared };
  return {
    plan,
    options,
    /** Another process. */
    async start(own: Partial<RabbitmqOptions> = {}) {
      const way = await openWay(url);
      closers.push(() => way.close());
      const bus = await connectRabbitmq({ ...options, url: way.url, ...own });
      closers.push(() => bus.close());
      return { bus, way };
    },
    async close() {
      for (const close of closers.reverse()) await close();
      await removeAll(url, plan);
    },
  };
};

export type Corner = Awaited<ReturnType<typeof openCorner>>;

/** Runs a test with a corner of its own. */
export const inCorner =
  (url: string, work: (corner: Corner) => Promise<void>, settings: Partial<RabbitmqOptions> = {}) =>
  async () => {
    const corner = await openCorner(url, settings);
    try {
      await work(corner);
    } finally {
      await corner.close();
    }
  };
