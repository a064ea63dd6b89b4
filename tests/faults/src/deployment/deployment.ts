// Deployments of the product whose processes and engines the harness starts, kills and revives.

import type { Address } from '@boxoffice/testkit';
import type { Deliveries, Modes } from '../inside/orders.ts';
import type { ServiceName } from './crash-points.ts';
import type { DataLocation, Partner } from './installation.ts';
import type { Links } from './links/index.ts';
import type { WriteGate } from './links/write-gate.ts';
import type { ProductProcess, Start } from './process.ts';
import type { SmallDisk } from './small-disk.ts';

/** `embedded`: SQLite and the in-process bus, in one process. `scaled`: MongoDB and RabbitMQ, two of each service. */
export type EnginesName = 'embedded' | 'scaled';

/** A server that belongs to the harness and may be killed. */
export interface Server {
  readonly url: string;
  /** Sends SIGKILL, as abrupt as a power cut. */
  kill(): Promise<void>;
  /** Starts it again after a kill, with the same data and address. */
  start(): Promise<void>;
  /** Ends it in good order and starts it again. */
  restart(): Promise<void>;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

/** A message broker of the harness. */
export interface Broker extends Server {
  /** The queues refuse messages while so many wait in them; undefined: their own limit again. */
  limit(messages: number | undefined): Promise<void>;
  /** Sets the disk alarm: the broker accepts no messages. */
  alarm(on: boolean): Promise<void>;
}

/** A server of MongoDB's protocol of the harness; every write that it acknowledged survives a kill. */
export type StoreServer = Server;

/** The product, started from its own programs, with an institution that has nothing on sale yet. */
export interface Deployment {
  readonly engines: EnginesName;
  readonly data: DataLocation;
  /** Of the gateway. */
  readonly address: Address;
  readonly partner: Partner;
  /** Every process that may be killed. */
  readonly processes: readonly ProductProcess[];
  /** The processes that run the service; in the embedded deployment one process runs all services. */
  runs(service: ServiceName): readonly ProductProcess[];
  /** Undefined with the in-process bus. */
  readonly broker: Broker | undefined;
  /** The file system of the data, where the harness has mounted one. */
  readonly disk?: SmallDisk;
  /** Undefined where the store belongs to others, or is embedded. */
  readonly storeServer?: StoreServer;
  /** Undefined unless the deployment was started with links. */
  readonly links?: Links;
  /** Undefined unless the deployment was started with a gate before its store. */
  readonly writeGate?: WriteGate;
  /** Starts those of the processes (default: all) that have ended; resolves with their starts when they are ready. */
  revive(processes?: readonly ProductProcess[]): Promise<Start[]>;
  /** Changes the engines' modes in all processes, also for their next starts. */
  behave(modes: Modes): Promise<void>;
  /** The deliveries to the running processes since the last call. */
  deliveries(): Promise<Deliveries>;
  /** The files of the mutations that took effect in any running process. */
  planted(): Promise<ReadonlySet<string>>;
  /** Ends all processes and removes the data. */
  close(): Promise<void>;
}

/** The operations on processes that both deployments share. */
export const together = (
  processes: readonly ProductProcess[],
): Pick<Deployment, 'revive' | 'behave' | 'deliveries' | 'planted'> => ({
  revive: async (which = processes) =>
    (await Promise.all(which.map((process) => process.start()))).flatMap((started) => started ?? []),
  behave: async (modes) => void (await Promise.all(processes.map((process) => process.behave(modes)))),
  deliveries: async () => {
    const all = await Promise.all(processes.map((process) => process.deliveries()));
    return {
      handled: all.flatMap(({ handled }) => handled),
      outOfOrder: all.reduce((sum, { outOfOrder }) => sum + outOfOrder, 0),
    };
  },
  planted: async () => new Set((await Promise.all(processes.map((process) => process.planted()))).flat()),
});
