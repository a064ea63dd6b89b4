import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRevocations } from '@boxoffice/gateway';
import { type Bus, broadcasts, type Message, topology } from '@boxoffice/messaging';
import { waitUntil } from '@boxoffice/testkit';
import { BROADCAST } from './breaks.ts';
import { type Process, processes } from './processes.ts';
import { interruptedStore } from './scenario/interrupted-steps.ts';
import { definitions, openScenario, type Scenario } from './scenario/open-scenario.ts';
import { quiet } from './scenario/quiet.ts';
import { createReads, type Reads, watchedBus } from './scenario/reads.ts';
import { leaveInterrupted, runScenario } from './scenario/run-scenario.ts';
import type { Consumed, Stored } from './snapshot.ts';

/** Documents by collection, of each service. */
export type RecordedDocuments = Readonly<Record<string, Readonly<Record<string, readonly Stored[]>>>>;

/** The recordings of an installation on current code: stored documents, and the facts that its parts consume. */
export interface Recording {
  /** Epoch milliseconds. */
  readonly writtenAt: number;
  readonly stored: RecordedDocuments;
  /** The members that a process reads of each consumed fact, in the scenario and in the producers' examples. */
  readonly consumes: (process: Process) => readonly Consumed[];
}

const examples = (): Message[] =>
  processes.flatMap(({ publishes }) =>
    Object.entries(publishes).map(([type, { example }]) => ({
      id: randomUUID(),
      type,
      key: randomUUID(),
      version: 3,
      institution: 'examples',
      occurredAt: new Date().toISOString(),
      data: example,
    })),
  );

const consumesAll = (type: string): boolean => broadcasts.access.types.some((one) => one === type);

/** The gateway's broadcast reaction, without a gateway. */
const listenAsGateway = async (reads: Reads): Promise<void> => {
  const authorizerClient = { changes: () => Promise.reject(new Error('nobody asks')) };
  const revocations = createRevocations({ authorizerClient, clientChanged: () => undefined, logger: quiet });
  const bus: Pick<Bus, 'listen'> = {
    async listen(_broadcast, hear) {
      for (const one of examples().filter(({ type }) => consumesAll(type))) hear(reads.watched(BROADCAST, one));
      return { close: async () => undefined };
    },
  };
  await revocations.listen(bus as Bus);
};

const storedDocuments = async ({ stores }: Scenario): Promise<RecordedDocuments> => {
  const stored: Record<string, Record<string, readonly Stored[]>> = {};
  for (const { name, collections } of Object.values(definitions)) {
    const own: Record<string, readonly Stored[]> = {};
    for (const collection of collections) {
      const all = stores[name]?.collection(collection).acrossInstitutions;
      own[collection.name] = ((await all?.find()) ?? []) as unknown as Stored[];
    }
    stored[name] = own;
  }
  return stored;
};

const isSilent = async ({ stores }: Scenario): Promise<boolean> => {
  const pending = await Promise.all(Object.values(stores).map((store) => store.outbox.pending(1)));
  return pending.every((events) => events.length === 0);
};

/** Runs one scenario that stores every kind of document, in this process and on its own engines. */
export const record = async (): Promise<Recording> => {
  const directory = mkdtempSync(join(tmpdir(), 'boxoffice-release-'));
  const reads = createReads();
  const scenario = await openScenario({
    directory,
    logger: quiet,
    bus: (bus) => watchedBus(bus, reads),
    store: (store, service) => (service === 'orders' ? interruptedStore(store) : store),
  });
  try {
    await listenAsGateway(reads);
    await leaveInterrupted(scenario, await runScenario(scenario));
    await waitUntil(() => isSilent(scenario));
    const stored = await storedDocuments(scenario);
    for (const message of examples()) await scenario.bus.publish(message);
    const consumes = ({ name, queues }: Process): Consumed[] => {
      const own = Object.values(topology).filter((queue) => queues.includes(queue.name));
      const ofQueues = own.map((queue) => ({ queue: queue.name, reads: reads.of(queue.name) }));
      return name === 'gateway' ? [...ofQueues, { queue: BROADCAST, reads: reads.of(BROADCAST) }] : ofQueues;
    };
    return { writtenAt: Date.now(), stored, consumes };
  } finally {
    await scenario.close();
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  }
};
