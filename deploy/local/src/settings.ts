import { authorizer } from '@boxoffice/authorizer';
import { contacts } from '@boxoffice/contacts';
import { events } from '@boxoffice/events';
import { gatewaySettings } from '@boxoffice/gateway';
import { orders } from '@boxoffice/orders';
import { pos } from '@boxoffice/pos';
import {
  amqpUrl,
  dataDirectory,
  differentPorts,
  type Environment,
  ensureDirectory,
  flag,
  givenSecret,
  logLevels,
  mongodbUrl,
  oneOf,
  operationsPort,
  readServerSettings,
  tlsCaFile,
  traceSettings,
} from '@boxoffice/runtime';
import { servicesFileOrData } from '@boxoffice/runtime/services';
import { tickets } from '@boxoffice/tickets';
import { keepServiceRootSecret } from './secrets.ts';

const ownOfContacts = contacts.settings as NonNullable<typeof contacts.settings>;
const ownOfEvents = events.settings as NonNullable<typeof events.settings>;
const ownOfTickets = tickets.settings as NonNullable<typeof tickets.settings>;
// In one process, the other services' addresses are no settings.
const {
  catalogUrl: _,
  contactsUrl: __,
  ...ownOfAuthorizer
} = authorizer.settings as NonNullable<typeof authorizer.settings>;
const { catalogUrl, contactsUrl, ticketsUrl, ...ownOfOrders } = orders.settings as NonNullable<typeof orders.settings>;
const {
  sessionIdleSeconds,
  sessionAbsoluteSeconds,
  loginFailuresPerAddress,
  shopHost,
  mailServer,
  mailFrom,
  mailTemplates,
} = pos.settings as NonNullable<typeof pos.settings>;
const { gatewayPort, gatewayHttpPort } = gatewaySettings;

/** All settings in one reading, so that all faults are reported together. */
const spec = {
  ...gatewaySettings,
  ...traceSettings,
  ...ownOfAuthorizer,
  ...ownOfContacts,
  ...ownOfEvents,
  ...ownOfTickets,
  ...ownOfOrders,
  sessionIdleSeconds,
  sessionAbsoluteSeconds,
  loginFailuresPerAddress,
  shopHost,
  mailServer,
  mailFrom,
  mailTemplates,
  // npm start generates and stores these two unless they are set.
  serviceRootSecret: givenSecret('SERVICE_ROOT_SECRET'),
  keyEncryptionKey: givenSecret('KEY_ENCRYPTION_KEY'),
  directory: dataDirectory,
  servicesFile: servicesFileOrData,
  mongodbUrl,
  amqpUrl,
  // Requests would scroll the addresses and credentials away that npm start prints.
  logLevel: oneOf('LOG_LEVEL', logLevels, { default: 'warn' }),
  operationsPort,
  demo: flag('BOXOFFICE_DEMO', { default: true }),
  ports: differentPorts(gatewayPort, gatewayHttpPort, operationsPort),
  tlsCaFile,
};

/**
 * The settings of the whole product in one process. @throws {StartFault} naming every wrong one, or the data directory
 */
export const readLocalSettings = async (env?: Environment) => {
  const settings = await readServerSettings(spec, env);
  const directory = ensureDirectory(settings.directory, 'BOXOFFICE_DATA_DIR');
  return { ...settings, serviceRootSecret: settings.serviceRootSecret ?? keepServiceRootSecret(directory) };
};

export type LocalSettings = Awaited<ReturnType<typeof readLocalSettings>>;
