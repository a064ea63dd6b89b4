import { randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import type { Bus, DeadLetter, DeadLetterStore, Handler, Logger, Message, OutboxPort, Queue } from '../port.ts';
import { type Relay, startRelay } from '../relay.ts';
import type { Declared } from '../topology.ts';

export interface Process {
  readonly bus: Bus;
  /** Ends it as SIGKILL would: messages in hand are neither finished nor acknowledged. */
  kill(): Promise<void>;
}

interface Installation {
  /** Starts a process. An engine for one process returns the running one while it lives. */
  start(): Promise<Process>;
  /** Ends every process and removes all data. */
  remove(): Promise<void>;
}

interface InstallationSettings {
  readonly declared: Declared;
  readonly retryDelaysMs: readonly number[];
  readonly logger: Logger;
}

export interface Engine {
  open(settings: InstallationSettings): Promise<Installation>;
}

interface Gate {
  readonly passed: Promise<void>;
  open(): void;
}

/** The mechanisms of a check that a negative control may replace. */
interface Mechanisms {
  readonly relay: typeof startRelay;
  readonly react: (ledger: Ledger) => Handler;
  /** What a check waits for in vain: after `patienceMs` milliseconds it counts as lost. Default: nothing. */
  readonly lost: string;
  readonly patienceMs: number;
}

export type Broken = Partial<Mechanisms>;

export interface Scene {
  readonly bus: Bus;
  start(): Promise<Process>;
  /** The relay under test; closed when the check ends. */
  readonly startRelay: typeof startRelay;
  /** A gate for handlers to wait on; open when the check ends, at the latest. */
  makeGate(): Gate;
  readonly makeReaction: Mechanisms['react'];
  until(what: string, holds: () => boolean | Promise<boolean>): Promise<void>;
}

/** One rule of the port and the function that throws if an engine breaks it. */
export interface Check {
  readonly rule: string;
  run(engine: Engine, broken?: Broken): Promise<void>;
}

export const first: Queue = { name: 'probe.first.v1', types: ['probe.happened', 'probe.repeated'] };
export const second: Queue = { name: 'probe.second.v1', types: ['probe.happened'] };
export const untaken = 'probe.untaken';
export const probes: Declared = { queues: [first, second], untaken: [untaken] };

/** Short enough for tests, long enough to distinguish the attempts. */
export const retryDelaysMs: readonly number[] = [150, 250];

export const silent: Logger = { info() {}, warn() {}, error() {} };

/** Settings of a relay that looks for orphaned events at once. */
export const eager = { logger: silent, sweepMs: 30, orphanedAfterMs: 0, drainMs: 0 };

/** Declares a check; each run has an installation of its own. */
export function check(rule: string, run: (scene: Scene) => Promise<void>): Check {
  return {
    rule,
    async run(engine, { relay = startRelay, react = reactOnce, lost, patienceMs } = {}) {
      const { start, remove } = await engine.open({ declared: probes, retryDelaysMs, logger: silent });
      const relays: Relay[] = [];
      const gates: Gate[] = [];
      const { bus } = await start();
      try {
        await run({
          bus,
          start,
          startRelay(options) {
            const started = relay(options);
            relays.push(started);
            return started;
          },
          makeGate() {
            const { promise, resolve } = Promise.withResolvers<void>();
            const gate = { passed: promise, open: resolve };
            gates.push(gate);
            return gate;
          },
          makeReaction: react,
          until: (what, holds) => waitUntil(what, holds, what === lost ? patienceMs : undefined),
        });
      } finally {
        for (const gate of gates) gate.open();
        await Promise.all(relays.map((one) => one.close()));
        await remove();
      }
    },
  };
}

let serial = 0;

/** A message with a random id; by default for the first queue alone. */
export function probe(fields: Partial<Message> = {}): Message {
  return {
    id: randomUUID(),
    type: 'probe.repeated',
    key: randomUUID(),
    version: ++serial,
    institution: 'opera',
    occurredAt: new Date().toISOString(),
    data: {},
    ...fields,
  };
}

const PATIENCE_MS = 180_000;

/** Repeats `holds` until it returns true; throws `what` after `patienceMs` milliseconds. */
export async function waitUntil(
  what: string,
  holds: () => boolean | Promise<boolean>,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const deadline = Date.now() + patienceMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`not within ${patienceMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Publishes per key in order, the keys at once. */
export async function publishAll(bus: Pick<Bus, 'publish'>, messages: readonly Message[]): Promise<void> {
  const keys = Map.groupBy(messages, ({ key }) => key);
  await Promise.all(
    [...keys.values()].map(async (own) => {
      for (const message of own) await bus.publish(message);
    }),
  );
}

interface MemoryOutbox {
  /** Commits events in a process: they are pending, and that process's listeners are notified. */
  commit(process: OutboxProcess, events: readonly Message[]): void;
  process(): OutboxProcess;
  readonly pending: ReadonlySet<string>;
}

interface OutboxProcess extends OutboxPort {
  lease(name: string, ms: number): Promise<boolean>;
  /** From now on the process writes nothing and gets no notification, as if killed. */
  cut(): void;
}

export function createMemoryOutbox(): MemoryOutbox {
  const events = new Map<string, { readonly event: Message; readonly at: number }>();
  const listeners = new Map<OutboxProcess, Set<(events: readonly Message[]) => void>>();
  let holder: { readonly by: OutboxProcess; readonly until: number } | undefined;

  return {
    get pending() {
      return new Set(events.keys());
    },
    commit(process, committed) {
      for (const event of committed) events.set(event.id, { event, at: Date.now() });
      for (const listener of listeners.get(process) ?? []) listener(committed);
    },
    process() {
      const own = new Set<(events: readonly Message[]) => void>();
      let alive = true;
      const process: OutboxProcess = {
        async pending(limit, olderThanMs = 0) {
          const before = Date.now() - olderThanMs;
          return [...events.values()]
            .filter(({ at }) => at <= before)
            .slice(0, limit)
            .map(({ event }) => event);
        },
        async done(ids) {
          if (alive) for (const id of ids) events.delete(id);
        },
        onCommitted(listener) {
          own.add(listener);
          return () => own.delete(listener);
        },
        async lease(_name, ms) {
          const now = Date.now();
          if (!alive || (holder && holder.by !== process && holder.until > now)) return false;
          holder = { by: process, until: now + ms };
          return true;
        },
        cut() {
          alive = false;
          own.clear();
          if (holder?.by === process) holder = undefined;
        },
      };
      listeners.set(process, own);
      return process;
    },
  };
}

interface Ledger {
  readonly effects: ReadonlyMap<string, number>;
  /** Writes the effect atomically: nothing runs between check and write. */
  write(messageId: string, onlyOnce: boolean): void;
}

export function createLedger(): Ledger {
  const effects = new Map<string, number>();
  return {
    effects,
    write(messageId, onlyOnce) {
      const before = effects.get(messageId) ?? 0;
      if (!onlyOnce || before === 0) effects.set(messageId, before + 1);
    },
  };
}

/** The expected reaction of consumers: it deduplicates in the same write as its effect. */
export function reactOnce(ledger: Ledger): Handler {
  return async ({ id }) => {
    await turn();
    ledger.write(id, true);
  };
}

export function createMemoryDeadLetters(): DeadLetterStore {
  const letters = new Map<string, DeadLetter>();
  return {
    add: async (letter) => void letters.set(letter.id, letter),
    list: async (queue) => [...letters.values()].filter((letter) => queue === undefined || letter.queue === queue),
    get: async (id) => letters.get(id),
    remove: async (id) => letters.delete(id),
  };
}
