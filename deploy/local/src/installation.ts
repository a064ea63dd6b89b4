import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { authorizer } from '@boxoffice/authorizer';
import { catalog } from '@boxoffice/catalog';
import { contacts } from '@boxoffice/contacts';
import { Fault } from '@boxoffice/envelope';
import { events } from '@boxoffice/events';
import { orders } from '@boxoffice/orders';
import { payments } from '@boxoffice/payments';
import { getDemoMailsFolder, pos } from '@boxoffice/pos';
import {
  type Check,
  createLogger,
  deriveServiceSecret,
  type Logger,
  type LogLevel,
  type Metrics,
  type Settings,
  type SettingsSpec,
  type Stop,
} from '@boxoffice/runtime';
import { type Engines, type RunningService, type ServiceDefinition, startService } from '@boxoffice/service';
import type { Store } from '@boxoffice/store';
import { tickets } from '@boxoffice/tickets';
import type { LocalSettings } from './settings.ts';
import { explainKeys, keepKeyEncryptionKey } from './settings.ts';

export type Services = Awaited<ReturnType<typeof startServices>>;

/** With demo data, webhooks may be tried on receivers of this machine. */
const LOOPBACK: readonly string[] = ['127.0.0.0/8', '::1/128'];

/** The point of sale whose shop is at `/shop/` with demo data. */
const DEMO_SHOP = 'tickets.opera.example';

const RETRY = { 'Retry-After': '1' };

const definitions = [authorizer, catalog, contacts, orders, tickets, events, payments, pos];

/** The queues of this process's services; the bus stores their facts from the start. */
export const servedQueues = definitions.flatMap(({ queues = [] }) => queues);

/** The engine then creates an empty one. It is no fault, since a newer version may add a service. */
export function warnOfMissing(directory: string, logger: Pick<Logger, 'warn'>): void {
  const files = definitions.map(({ name }) => join(directory, `${name}.sqlite`));
  // The engine itself reports an entry that is no file.
  if (!files.some((file) => statSync(file, { throwIfNoEntry: false })?.isFile())) return;
  for (const file of files.filter((one) => !existsSync(one))) {
    logger.warn('a database file is missing and is created empty; if it was lost, stop and restore a backup', {
      part: file,
    });
  }
}

/** The log level beside the gateway's access log: its one line per request suffices, except at debug levels. */
export function lowerLogLevel(level: LogLevel): LogLevel {
  return level === 'info' ? 'warn' : level;
}

interface InstallationParts {
  readonly settings: LocalSettings;
  readonly engines: Engines;
  readonly stop: Stop;
  readonly metrics: Metrics | undefined;
  readonly checks: Readonly<Record<string, Check>>;
  /** Evaluated at each use, since the seeding follows the services' start. */
  readonly hasDemoData: () => boolean;
  /** The clients of the demo data for DOOR_CLIENT_IDS; evaluated at each use. */
  readonly demoDoorClientIds: () => string;
}

/** Starts every service in this process, on loopback and ports that the system chooses: only the gateway is public. */
export async function startServices(parts: InstallationParts) {
  const { settings, engines, stop, metrics, checks, hasDemoData, demoDoorClientIds } = parts;
  const { publicUrl, serviceRootSecret, logLevel } = settings;
  let trouble: string | undefined;
  const noting = (logger: Logger): Logger => ({
    ...logger,
    error(message, fields) {
      if (fields?.error instanceof Error) trouble = fields.error.message;
      // An unavailable store is logged with its reason only.
      else if (typeof fields?.reason === 'string') trouble = fields.reason;
      logger.error(message, fields);
    },
  });

  const start = async <Spec extends SettingsSpec, State>(
    definition: ServiceDefinition<Spec, State>,
    own: (store: Store) => Promise<Settings<Spec>> | Settings<Spec>,
    authorizerUrl?: string,
  ): Promise<readonly [RunningService, Store]> => {
    const { name, collections } = definition;
    const store = await engines.store(name, collections);
    const running = await startService(definition, {
      store,
      bus: engines.bus,
      authorizerUrl,
      publicUrl,
      serviceSecret: deriveServiceSecret(serviceRootSecret, name),
      host: '127.0.0.1',
      port: 0,
      logger: noting(terminalLogger(name, logLevel)),
      settings: await own(store),
      metrics,
      checks,
    });
    stop.add(name, () => running.close());
    return [running, store];
  };

  // The authorizer starts before the services that it asks, and reads their addresses when a request needs them.
  const started = new Map<'catalog' | 'contacts', string>();
  const addressOf = (name: 'catalog' | 'contacts'): string => {
    const url = started.get(name);
    if (url === undefined) throw new Fault('service_unavailable', `The ${name} service is starting.`, RETRY);
    return url;
  };

  // First, because the other services need its address.
  let keyEncryptionKey = settings.keyEncryptionKey ?? '';
  const [first, authorizerStore] = await start(authorizer, async (store) => {
    if (keyEncryptionKey === '') keyEncryptionKey = await keepKeyEncryptionKey(settings.directory, store);
    return {
      ...settings,
      keyEncryptionKey,
      get catalogUrl() {
        return addressOf('catalog');
      },
      get contactsUrl() {
        return addressOf('contacts');
      },
    };
  }).catch(explainKeys(settings.directory));
  const none = () => ({});
  const [[second, catalogStore], [third], [fourth], [seventh]] = await Promise.all([
    start(catalog, none, first.url),
    start(contacts, () => settings, first.url),
    start(
      tickets,
      () => ({
        ...settings,
        get doorClientIds() {
          return settings.doorClientIds || demoDoorClientIds();
        },
      }),
      first.url,
    ),
    start(
      events,
      () => ({
        ...settings,
        keyEncryptionKey,
        get webhookAllowedNetworks() {
          const { webhookAllowedNetworks: given } = settings;
          return given.length === 0 && hasDemoData() ? LOOPBACK : given;
        },
      }),
      first.url,
    ),
  ]);
  started.set('catalog', second.url).set('contacts', third.url);
  const others = { catalogUrl: second.url, contactsUrl: third.url, ticketsUrl: fourth.url };
  const [fifth] = await start(orders, () => ({ ...settings, ...others }), first.url);
  const [eighth] = await start(
    payments,
    () => ({
      ...settings,
      ...others,
      ordersUrl: fifth.url,
      keyEncryptionKey,
      get paymentSimulator() {
        return settings.paymentSimulator || hasDemoData();
      },
    }),
    first.url,
  );
  const [sixth, posStore] = await start(
    pos,
    () => ({
      ...settings,
      ...others,
      ordersUrl: fifth.url,
      paymentsUrl: eighth.url,
      get simulatedPayments() {
        return hasDemoData() ? 'demo data' : 'never';
      },
      get shopHost() {
        return settings.shopHost ?? (hasDemoData() ? DEMO_SHOP : undefined);
      },
      get demoMails() {
        const isToTry = settings.paymentSimulator;
        return hasDemoData() || isToTry
          ? { folder: getDemoMailsFolder(settings.directory), ofAll: isToTry }
          : undefined;
      },
    }),
    first.url,
  );
  return {
    urls: {
      authorizer: first.url,
      catalog: second.url,
      contacts: third.url,
      orders: fifth.url,
      tickets: fourth.url,
      events: seventh.url,
      payments: eighth.url,
      pos: sixth.url,
    },
    stores: { authorizer: authorizerStore, catalog: catalogStore, pos: posStore },
    trouble: () => trouble,
  };
}

/** A service's log in the terminal. Audit lines show with requests only: a flood of them would hide all else. */
const terminalLogger = (service: string, level: LogLevel): Logger => {
  const logger = createLogger({ service, level: lowerLogLevel(level) });
  const audit = createLogger({ service, level }).info;
  const unlessAudit =
    (write: Logger['warn']): Logger['warn'] =>
    (message, fields) =>
      (String(fields?.event).startsWith('audit.') ? audit : write)(message, fields);
  return { ...logger, info: unlessAudit(logger.info), warn: unlessAudit(logger.warn) };
};
