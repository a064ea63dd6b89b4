import { randomUUID } from 'node:crypto';
import type { Bus, Handler, Logger, Message, Queue } from '../port.ts';
import { type Relay, startRelay } from '../relay/relay.ts';
import type { Declared } from '../topology.ts';
import { type Ledger, reactOnce } from './ledger.ts';

/** The messaging of one process of an installation. */
export interface Process {
  readonly bus: Bus;
  /** Ends it as SIGKILL would: messages in hand are neither finished nor acknowledged. */
  kill(): Promise<void>;
}

/** One installation with its own exchanges and queues. */
export interface Installation {
  /** Starts a process. An engine for one process returns the running one while it lives. */
  start(): Promise<Process>;
  /** Ends every process and removes all data. */
  remove(): Promise<void>;
}

export interface InstallationSettings {
  readonly declared: Declared;
  readonly retryDelaysMs: readonly number[];
  readonly logger: Logger;
}

/** How to open an installation on an engine. */
export interface Engine {
  open(settings: InstallationSettings): Promise<Installation>;
}

export interface Gate {
  readonly passed: Promise<void>;
  open(): void;
}

/** The object under test in a check: an empty installation, and the mechanisms that a negative control may break. */
export interface Subject {
  start(): Promise<Process>;
  /** The relay under test; closed when the check ends. */
  readonly relay: typeof startRelay;
  /** A gate for handlers to wait on; open when the check ends, at the latest. */
  gate(): Gate;
  /** The reaction of a consumer under test. */
  readonly react: (ledger: Ledger) => Handler;
  /** Milliseconds after which an expected event counts as lost. */
  readonly patienceMs: number;
}

/** One rule of the port and the function that throws if an engine breaks it. */
export interface Check {
  readonly rule: string;
  run(subject: Subject): Promise<void>;
  /** Milliseconds; default: the runner's. */
  readonly timeoutMs?: number;
}

export const first: Queue = { name: 'probe.first.v1', types: ['probe.happened', 'probe.repeated'] };
export const second: Queue = { name: 'probe.second.v1', types: ['probe.happened'] };
export const announced = 'probe.announced';
export const probes: Declared = { queues: [first, second], broadcasts: [{ types: [announced] }] };

/** Short enough for tests, long enough to distinguish the attempts. */
export const retryDelaysMs: readonly number[] = [40, 80, 160];

const silent: Logger = { info() {}, warn() {}, error() {} };

/** The mechanisms that a negative control may replace. */
export type Broken = Partial<Pick<Subject, 'relay' | 'react' | 'patienceMs'>>;

/** Opens a subject on an engine; `broken` replaces the mechanism that a negative control sabotages. */
export const openSubject = async (
  engine: Engine,
  { relay = startRelay, react = reactOnce, patienceMs = 60_000 }: Broken = {},
): Promise<Subject & { close(): Promise<void> }> => {
  const installation = await engine.open({ declared: probes, retryDelaysMs, logger: silent });
  const relays: Relay[] = [];
  const gates: Gate[] = [];
  return {
    start: installation.start,
    relay(options) {
      const started = relay(options);
      relays.push(started);
      return started;
    },
    gate() {
      const { promise, resolve } = Promise.withResolvers<void>();
      const gate = { passed: promise, open: resolve };
      gates.push(gate);
      return gate;
    },
    react,
    patienceMs,
    async close() {
      for (const gate of gates) gate.open();
      await Promise.all(relays.map((one) => one.close()));
      await installation.remove();
    },
  };
};

let serial = 0;

/** A message with a random id; by default for the first queue alone. */
export const probe = (fields: Partial<Message> = {}): Message => ({
  id: randomUUID(),
  type: 'probe.repeated',
  key: randomUUID(),
  version: ++serial,
  institution: 'opera',
  occurredAt: new Date().toISOString(),
  data: {},
  ...fields,
});

/** Repeats `holds` until it returns true; throws `what` after `ms` milliseconds. */
export const until = async (
  what: string,
  holds: () => boolean | Promise<boolean>,
  { patienceMs }: Pick<Subject, 'patienceMs'>,
): Promise<void> => {
  const deadline = Date.now() + patienceMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`not within ${patienceMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};

/** Returns the rejection's reason; throws if the promise resolves. */
export const rejection = async (promise: Promise<unknown>): Promise<unknown> => {
  const outcome = await promise.then(
    () => ({ rejected: false as const }),
    (error: unknown) => ({ rejected: true as const, error }),
  );
  if (!outcome.rejected) throw new Error('expected a rejection, but the promise was fulfilled');
  return outcome.error;
};

/** Publishes per key in order, the keys at once. */
export const publishAll = async (bus: Bus, messages: readonly Message[]): Promise<void> => {
  const keys = Map.groupBy(messages, ({ key }) => key);
  await Promise.all(
    [...keys.values()].map(async (own) => {
      for (const message of own) await bus.publish(message);
    }),
  );
};
