import { join } from 'node:path';
import { authorizer, describeRecovery, listKeys, WrongKeyEncryptionKey } from '@boxoffice/authorizer';
import { contacts } from '@boxoffice/contacts';
import { events } from '@boxoffice/events';
import { gatewaySettings } from '@boxoffice/gateway';
import { orders } from '@boxoffice/orders';
import { payments } from '@boxoffice/payments';
import { pos } from '@boxoffice/pos';
import {
  amqpUrl,
  dataDirectory,
  declareOptionalSecret,
  type Environment,
  ensureDirectory,
  flag,
  logLevels,
  mongodbUrl,
  nameSecretFile,
  oneOf,
  operationsPort,
  readServerSettings,
  readStoredSecret,
  requireDifferentPorts,
  StartFault,
  storeSecret,
  tlsCaFile,
  traceSettings,
} from '@boxoffice/runtime';
import { servicesFileOrData } from '@boxoffice/runtime/services';
import type { Store } from '@boxoffice/store';
import { tickets } from '@boxoffice/tickets';

const KEY_FILE = nameSecretFile('KEY_ENCRYPTION_KEY');

/** Made if missing, unless the store has values under an earlier key, which it cannot decrypt. @throws {StartFault} */
export async function keepKeyEncryptionKey(directory: string, authorizerStore: Store): Promise<string> {
  const stored = readStoredSecret(directory, KEY_FILE);
  if (stored !== undefined) return stored;
  if ((await listKeys(authorizerStore)).length === 0) return storeSecret(directory, KEY_FILE);
  throw new StartFault(
    `KEY_ENCRYPTION_KEY: is neither set nor stored, but the authorizer's store holds signing keys that are encrypted under it: ${describeRecovery(storedAt(directory))}`,
  );
}

const storedAt = (directory: string): string => `${join(directory, KEY_FILE)} or the setting`;

/** Adds the key's location to the error of a start with a wrong key; rethrows any other error unchanged. */
export function explainKeys(directory: string) {
  return (error: unknown): never => {
    throw error instanceof WrongKeyEncryptionKey ? new WrongKeyEncryptionKey(storedAt(directory)) : error;
  };
}

const getSettings = <Spec>({ settings }: { readonly settings?: Spec }): Spec => settings as Spec;

// In one process, the other services' addresses are no settings; the demo data decides on simulated payments, and
// switches the simulated provider on.
const {
  catalogUrl,
  contactsUrl,
  ordersUrl,
  ticketsUrl,
  paymentsUrl,
  simulatedPayments,
  paymentSimulator,
  ...ofServices
} = {
  ...getSettings(authorizer),
  ...getSettings(contacts),
  ...getSettings(tickets),
  ...getSettings(orders),
  ...getSettings(payments),
  ...getSettings(pos),
};
const { gatewayPort, gatewayHttpPort } = gatewaySettings;

/** All settings in one reading, so that all faults are reported together. */
const spec = {
  ...gatewaySettings,
  ...traceSettings,
  ...ofServices,
  // Its addresses are optional.
  ...getSettings(events),
  // npm start generates and stores these two unless they are set.
  serviceRootSecret: declareOptionalSecret('SERVICE_ROOT_SECRET'),
  keyEncryptionKey: declareOptionalSecret('KEY_ENCRYPTION_KEY'),
  directory: dataDirectory,
  servicesFile: servicesFileOrData,
  mongodbUrl,
  amqpUrl,
  // Requests would scroll the addresses and credentials away that npm start prints.
  logLevel: oneOf('LOG_LEVEL', logLevels, { default: 'warn' }),
  operationsPort,
  demo: flag('BOXOFFICE_DEMO', { default: true }),
  paymentSimulator: flag('PAYMENT_SIMULATOR', { default: false }),
  ports: requireDifferentPorts(gatewayPort, gatewayHttpPort, operationsPort),
  tlsCaFile,
};

/** @throws {StartFault} naming every wrong one, or the data directory */
export async function readLocalSettings(env?: Environment) {
  const settings = await readServerSettings(spec, env);
  const directory = ensureDirectory(settings.directory, 'BOXOFFICE_DATA_DIR');
  return { ...settings, serviceRootSecret: settings.serviceRootSecret ?? keepServiceRootSecret(directory) };
}

/** Generated at the first start and stored in the data directory. @throws {StartFault} */
const keepServiceRootSecret = (directory: string): string =>
  storeSecret(directory, nameSecretFile('SERVICE_ROOT_SECRET'));

export type LocalSettings = Awaited<ReturnType<typeof readLocalSettings>>;
