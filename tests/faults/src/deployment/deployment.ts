// Deployments of the product whose processes and engines the harness starts, kills and revives.

import type { Address } from '@boxoffice/testkit';
import type { Modes } from '../inside/orders.ts';
import type { ServiceName } from './crash-points.ts';
import type { DataLocation, Partner } from './installation.ts';
import type { Links } from './links.ts';
import type { ProductProcess, Start } from './process.ts';
import type { Broker, Server } from './servers.ts';

/** `embedded`: SQLite and the in-process bus, in one process. `scaled`: MongoDB and RabbitMQ, two of each service. */
export type EnginesName = 'embedded' | 'scaled';

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
  /** Undefined with the in-process bus, and where the broker belongs to others. */
  readonly broker?: Broker | undefined;
  /** Undefined where the store belongs to others, or is embedded. */
  readonly storeServer?: Server | undefined;
  /** Undefined unless the deployment was started with links. */
  readonly links?: Links | undefined;
  /** Starts those of the processes (default: all) that have ended; resolves with their starts when they are ready. */
  revive(processes?: readonly ProductProcess[]): Promise<Start[]>;
  /** Changes the engines' modes in all processes, also for their next starts. */
  behave(modes: Modes): Promise<void>;
  /** The facts that have arrived at the running processes since the last call, as `<queue> <id>`. */
  arrived(): Promise<readonly string[]>;
  /** The files of the mutations that took effect in any running process. */
  planted(): Promise<ReadonlySet<string>>;
  /** Ends all processes and removes the data. */
  close(): Promise<void>;
}

/** The operations on processes that both deployments share. */
export const together = (
  processes: readonly ProductProcess[],
): Pick<Deployment, 'revive' | 'behave' | 'arrived' | 'planted'> => ({
  revive: async (which = processes) =>
    (await Promise.all(which.map((process) => process.start()))).flatMap((started) => started ?? []),
  behave: async (modes) => void (await Promise.all(processes.map((process) => process.behave(modes)))),
  arrived: async () => (await Promise.all(processes.map((process) => process.arrived()))).flat(),
  planted: async () => new Set((await Promise.all(processes.map((process) => process.planted()))).flat()),
});
