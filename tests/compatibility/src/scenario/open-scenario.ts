// Scenarios: services in this process, and partners and visitors that leave every kind of document.

import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { authorizer } from '@boxoffice/authorizer';
import { catalog } from '@boxoffice/catalog';
import { contacts } from '@boxoffice/contacts';
import { events } from '@boxoffice/events';
import type { Bus } from '@boxoffice/messaging';
import { orders } from '@boxoffice/orders';
import { payments } from '@boxoffice/payments';
import { pos } from '@boxoffice/pos';
import { deriveServiceSecret, type Logger, readSettings, type SettingsSpec } from '@boxoffice/runtime';
import {
  type Engines,
  openEngines,
  type RunningService,
  type ServiceDefinition,
  startService,
} from '@boxoffice/service';
import type { Store } from '@boxoffice/store';
import { tickets } from '@boxoffice/tickets';

export type Scenario = Awaited<ReturnType<typeof openScenario>>;

export type AnyService = ServiceDefinition<SettingsSpec>;

interface ScenarioOptions {
  /** Default: none. */
  readonly logger?: Logger;
  /** Whom the other services trust instead of the scenario's authorizer. */
  readonly authorizerUrl?: string;
  readonly bus?: (bus: Bus) => Bus;
  /**
   * Creates another release of each service: each service then runs twice, as the present and as the other release, on
   * the same documents and queues, and its address alternates between both.
   */
  readonly beside?: (definition: AnyService) => { readonly definition: AnyService; store(store: Store): Store };
  readonly fill?: (stores: Readonly<Record<string, Store>>) => Promise<void>;
}

/** In order of their start. */
export const definitions: Readonly<
  Record<'authorizer' | 'catalog' | 'contacts' | 'tickets' | 'events' | 'orders' | 'payments' | 'pos', AnyService>
> = { authorizer, catalog, contacts, tickets, events, orders, payments, pos };

// Fixed: encrypted keys of one scenario must be readable in the next. It protects no secrets.
const SERVICE_ROOT_SECRET = 'a secret of scenarios only';
const KEY_ENCRYPTION_KEY = Buffer.alloc(32, 'thrown away').toString('base64');

/** What the authorizer, which starts first, would ask about users' contacts and points of sale; no scenario has any. */
const UNSTARTED = { CATALOG_URL: 'http://127.0.0.1:1', CONTACTS_URL: 'http://127.0.0.1:1' };

export const PUBLIC_URL = 'https://localhost:8443';

export async function openScenario(options: ScenarioOptions = {}) {
  const { logger = quiet, authorizerUrl, bus: seen, beside, fill } = options;
  const directory = mkdtempSync(join(tmpdir(), 'boxoffice-scenario-'));
  const all = Object.values(definitions);
  const serves = all.flatMap(({ queues = [] }) => queues);
  const engines: Engines = await openEngines({ mongodbUrl: undefined, amqpUrl: undefined, directory, logger, serves });
  const running: RunningService[] = [];
  const close = async (): Promise<void> => {
    for (const service of running.toReversed()) await service.close();
    await engines.close();
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  };
  const stores: Record<string, Store> = {};
  const addresses: Record<string, string[]> = {};
  const bus = seen?.(engines.bus) ?? engines.bus;

  /** `turn`: which instance of the other services it calls, where there are two. */
  const start = async (definition: AnyService, store: Store, turn: number): Promise<void> => {
    const { name, settings = {} } = definition;
    const others = Object.entries(addresses).map(([other, urls]) => [other, urls[turn % urls.length]] as const);
    const env = Object.fromEntries(others.map(([other, url]) => [`${other.toUpperCase()}_URL`, url]));
    const service = await startService(definition, {
      store,
      bus,
      authorizerUrl: authorizerUrl ?? others.find(([other]) => other === 'authorizer')?.[1],
      publicUrl: PUBLIC_URL,
      serviceSecret: deriveServiceSecret(SERVICE_ROOT_SECRET, name),
      host: '127.0.0.1',
      port: 0,
      logger,
      settings: readSettings(settings, {
        ...UNSTARTED,
        ...env,
        KEY_ENCRYPTION_KEY,
        SERVICE_ROOT_SECRET,
        SIMULATED_PAYMENTS: 'true',
        PAYMENT_SIMULATOR: 'true',
        // Nobody listens there: mails wait.
        MAIL_URL: 'smtp://127.0.0.1:1',
        WEBHOOK_ALLOWED_NETWORKS: '1',
      }),
    });
    running.push(service);
    addresses[name] = [...(addresses[name] ?? []), service.url];
  };

  try {
    for (const { name, collections } of all) stores[name] = await engines.store(name, collections);
    await fill?.(stores);
    for (const definition of all) {
      const store = stores[definition.name] as Store;
      await start(definition, store, 1);
      const other = beside?.(definition);
      if (!other) continue;
      const { name, collections } = other.definition;
      await start(other.definition, other.store(await engines.store(name, collections)), 0);
    }
  } catch (error) {
    await close();
    throw error;
  }
  const { deadLetters } = engines.bus;
  const stop = async (service: string): Promise<void> => {
    for (const one of running.filter(({ name }) => name === service)) {
      running.splice(running.indexOf(one), 1);
      await one.close();
    }
  };
  return {
    urls: inTurn(addresses),
    stores,
    bus,
    deadLetters,
    serviceRootSecret: SERVICE_ROOT_SECRET,
    /** The folder of the engines' files, removed by `close`. */
    directory,
    stop,
    close,
  };
}

const inTurn = (all: Readonly<Record<string, readonly string[]>>): Readonly<Record<string, string>> => {
  const urls: Record<string, string> = {};
  for (const name of Object.keys(definitions)) {
    let turn = 0;
    const get = () => (all[name] ?? [])[turn++ % Math.max(1, all[name]?.length ?? 1)];
    Object.defineProperty(urls, name, { enumerable: true, get });
  }
  return urls;
};

/** Whether every event has been relayed. */
export async function isSilent({ stores }: Scenario): Promise<boolean> {
  const pending = await Promise.all(Object.values(stores).map((store) => store.outbox.pending(1)));
  return pending.every((events) => events.length === 0);
}

const nothing = (): void => undefined;

export const quiet: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };

export function createName(prefix: string): string {
  return `${prefix}-${randomUUID().slice(0, 8)}`;
}
