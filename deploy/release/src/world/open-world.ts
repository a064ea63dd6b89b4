import { randomUUID } from 'node:crypto';
import { authorizer } from '@boxoffice/authorizer';
import { catalog } from '@boxoffice/catalog';
import { contacts } from '@boxoffice/contacts';
import type { Bus, DeadLetters } from '@boxoffice/messaging';
import { orders } from '@boxoffice/orders';
import { pos } from '@boxoffice/pos';
import { type Logger, readSettings, type SettingsSpec } from '@boxoffice/runtime';
import {
  type Engines,
  openEngines,
  type RunningService,
  type ServiceDefinition,
  startService,
} from '@boxoffice/service';
import type { Store } from '@boxoffice/store';
import { tickets } from '@boxoffice/tickets';

/** The services of an installation, started in this process on embedded engines and empty or given stores. */
export interface World {
  readonly urls: Readonly<Record<string, string>>;
  /** By service. */
  readonly stores: Readonly<Record<string, Store>>;
  readonly bus: Bus;
  readonly deadLetters: DeadLetters;
  readonly serviceSecret: string;
  close(): Promise<void>;
}

/** What may stand in the place of something of the world. */
export interface WorldOptions {
  /** For the engines' files. */
  readonly directory: string;
  readonly logger: Logger;
  /** The bus as the services see it. */
  readonly bus?: (bus: Bus) => Bus;
  /** The store as a service sees it. */
  readonly store?: (store: Store, service: string) => Store;
  /** Fills the stores before anything starts. */
  readonly fill?: (stores: Readonly<Record<string, Store>>) => Promise<void>;
}

/** In the order in which they start. */
export const definitions = { authorizer, catalog, contacts, tickets, orders, pos } as const;

// Keys at rest of one world must be readable in the next; they protect nothing.
const SERVICE_SECRET = 'only for worlds that are made to be thrown away';
const KEY_ENCRYPTION_KEY = Buffer.alloc(32, 'thrown away').toString('base64');

export const PUBLIC_URL = 'https://localhost:8443';

/** Starts them. */
export const openWorld = async (options: WorldOptions): Promise<World> => {
  const { directory, logger, bus: seen = (bus) => bus, store: shown = (store) => store, fill } = options;
  const all: readonly ServiceDefinition[] = Object.values(definitions) as never;
  const serves = all.flatMap(({ queues = [] }) => queues);
  const engines: Engines = await openEngines({ mongodbUrl: undefined, amqpUrl: undefined, directory, logger, serves });
  const running: RunningService[] = [];
  const urls: Record<string, string> = {};
  const close = async (): Promise<void> => {
    for (const service of running.toReversed()) await service.close();
    await engines.close();
  };
  const stores: Record<string, Store> = {};
  const bus = seen(engines.bus);

  const start = async (definition: ServiceDefinition<SettingsSpec>): Promise<void> => {
    const { name, settings = {} } = definition;
    const addresses = Object.entries(urls).map(([other, url]) => [`${other.toUpperCase()}_URL`, url]);
    const env = { ...Object.fromEntries(addresses), KEY_ENCRYPTION_KEY, SERVICE_SECRET, SIMULATED_PAYMENTS: 'true' };
    const service = await startService(definition, {
      store: shown(stores[name] as Store, name),
      bus,
      authorizerUrl: urls.authorizer,
      publicUrl: PUBLIC_URL,
      serviceSecret: SERVICE_SECRET,
      host: '127.0.0.1',
      port: 0,
      logger,
      settings: readSettings(settings, env),
    });
    running.push(service);
    urls[name] = service.url;
  };

  try {
    for (const { name, collections } of all) stores[name] = await engines.store(name, collections);
    await fill?.(stores);
    for (const definition of all) await start(definition as unknown as ServiceDefinition<SettingsSpec>);
  } catch (error) {
    await close();
    throw error;
  }
  return { urls, stores, bus, deadLetters: engines.bus.deadLetters, serviceSecret: SERVICE_SECRET, close };
};

/** A name that nothing else has. */
export const fresh = (prefix: string): string => `${prefix}-${randomUUID().slice(0, 8)}`;
