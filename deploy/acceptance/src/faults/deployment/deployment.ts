import type { Door } from '../../client.ts';
import type { Modes } from '../inside/orders.ts';
import type { ServiceName } from './crash-points.ts';
import type { Engine, Partner } from './installation.ts';
import type { ProductProcess, Start } from './process.ts';

export type EnginesName = 'embedded' | 'scaled';

/** A message broker of the harness's own, which may be killed. */
export interface Broker {
  readonly url: string;
  /** SIGKILL, as a power cut would. */
  kill(): Promise<void>;
  /** Again, with the same data and address. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** The product, started from its own programs, with an institution that sells nothing yet. */
export interface Deployment {
  readonly engines: EnginesName;
  readonly engine: Engine;
  readonly door: Door;
  readonly partner: Partner;
  /** Every process that may be killed. */
  readonly processes: readonly ProductProcess[];
  /** Those that run the service; together with it, all the others, in the embedded deployment. */
  runs(service: ServiceName): readonly ProductProcess[];
  /** Undefined where the bus is in the process. */
  readonly broker: Broker | undefined;
  /** Starts those of the processes (default: all) that have ended; resolves when they are ready and answers how they became so. */
  revive(processes?: readonly ProductProcess[]): Promise<Start[]>;
  /** Changes how the engines of all processes behave, also after their next starts. */
  behave(modes: Modes): Promise<void>;
  /** Each handling of a fact by the running processes since the last call, as `<queue> <id>`. */
  deliveries(): Promise<readonly string[]>;
  /** Ends everything and removes the data. */
  close(): Promise<void>;
}

/** What both deployments do with their processes in the same way. */
export const together = (
  processes: readonly ProductProcess[],
): Pick<Deployment, 'revive' | 'behave' | 'deliveries'> => ({
  revive: async (which = processes) =>
    (await Promise.all(which.map((process) => process.start()))).flatMap((started) => started ?? []),
  behave: async (modes) => void (await Promise.all(processes.map((process) => process.behave(modes)))),
  deliveries: async () => (await Promise.all(processes.map((process) => process.deliveries()))).flat(),
});
