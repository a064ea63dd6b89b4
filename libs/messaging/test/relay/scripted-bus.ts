import { createMemoryOutbox, silent } from '@boxoffice/messaging/conformance';
import { type Message, type OutboxPort, type RelayOptions, startRelay } from '../../src/index.ts';

/** A bus that a test controls: every publish waits for the test's verdict. */
interface ScriptedBus {
  publish(message: Message): Promise<void>;
  ping(): Promise<void>;
  /** Messages that wait for their verdict, in the order of arrival. */
  readonly waiting: { readonly message: Message; confirm(): void; refuse(): void }[];
  /** Messages confirmed, in order. */
  readonly confirmed: Message[];
  /** How often a message was published while it was waiting already. */
  readonly overlaps: number;
  /** True: confirms everything, now and from now on; false: waits again. */
  flow(on: boolean): void;
  /** Whether `ping` and `publish` reject. */
  down(on: boolean): void;
}

/** Creates a bus that waits. */
export function createScriptedBus(): ScriptedBus {
  const waiting: ScriptedBus['waiting'][number][] = [];
  const confirmed: Message[] = [];
  let overlaps = 0;
  let flowing = false;
  let isDown = false;
  return {
    waiting,
    confirmed,
    get overlaps() {
      return overlaps;
    },
    publish: (message) =>
      new Promise((resolve, reject) => {
        if (isDown) throw new Error('down');
        if (waiting.some((one) => one.message.id === message.id)) overlaps++;
        const leave = () => waiting.splice(waiting.indexOf(one), 1);
        const one = {
          message,
          confirm() {
            leave();
            confirmed.push(message);
            resolve();
          },
          refuse() {
            leave();
            reject(new Error('refused'));
          },
        };
        waiting.push(one);
        if (flowing) setImmediate(one.confirm);
      }),
    async ping() {
      if (isDown) throw new Error('down');
    },
    flow(on) {
      flowing = on;
      if (on) for (const one of [...waiting]) one.confirm();
    },
    down(on) {
      isDown = on;
      if (on) for (const one of [...waiting]) one.refuse();
    },
  };
}

/** Settings of a relay that looks for orphaned events at once. */
export const eager = { sweepMs: 10, orphanedAfterMs: 0 };

/**
 * A relay of one process on an outbox in memory and a bus that waits; `over` replaces methods of the process's outbox.
 */
export function startScriptedRelay(
  options: Partial<RelayOptions> = {},
  over: (own: OutboxPort) => Partial<OutboxPort> = () => ({}),
) {
  const outbox = createMemoryOutbox();
  const own = outbox.process();
  const bus = createScriptedBus();
  const relay = startRelay({ ...own, outbox: { ...own, ...over(own) }, bus, logger: silent, drainMs: 100, ...options });
  const commit = (...events: readonly Message[]) => outbox.commit(own, events);
  return { outbox, own, bus, relay, commit };
}
