import { authorizer, createClient, SCOPES } from '@boxoffice/authorizer';
import { catalog, createInstitution } from '@boxoffice/catalog';
import { createLogger } from '@boxoffice/runtime';
import { type Engines, openEngines } from '@boxoffice/service';

/** Where an installation has its data: files in the directory, or the named servers. */
export interface DataLocation {
  readonly directory: string;
  readonly mongodbUrl: string | undefined;
  readonly amqpUrl: string | undefined;
}

/** The client of an institution, with every permission. */
export interface Partner {
  readonly institution: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The settings that name the location of the data. */
export const settingsOf = ({ directory, mongodbUrl, amqpUrl }: DataLocation): Record<string, string> => ({
  BOXOFFICE_DATA_DIR: directory,
  ...(mongodbUrl === undefined ? {} : { MONGODB_URL: mongodbUrl }),
  ...(amqpUrl === undefined ? {} : { AMQP_URL: amqpUrl }),
});

/** Settings without rate limits: the harness is one address and one client. */
export const unlimited: Readonly<Record<string, string>> = {
  RATE_LIMIT_PER_MINUTE: '10000000',
  ADDRESS_LIMIT_PER_MINUTE: '10000000',
  POS_RATE_LIMIT_PER_MINUTE: '10000000',
  POS_HELD_PLACES_PER_ADDRESS: '100000',
};

/** Webhooks of the harness are received on loopback. */
export const reachable: Readonly<Record<string, string>> = { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' };

/** Opens the stores and the bus of an installation, also while the product runs, as the operator's program does. */
export const openStores = (data: DataLocation): Promise<Engines> =>
  openEngines({ ...data, logger: createLogger({ service: 'faults', level: 'error' }) });

/** Creates an institution and its client, with every permission, as an operator does at any time. */
export const setUp = async (data: DataLocation, institution = 'opera'): Promise<Partner> => {
  const engines = await openStores({ ...data, amqpUrl: undefined });
  try {
    const catalogStore = await engines.store(catalog.name, catalog.collections);
    await createInstitution(catalogStore, { id: institution, name: institution, currency: 'CHF', languages: ['en'] });
    const clients = await engines.store(authorizer.name, authorizer.collections);
    const made = await createClient(clients, { institution, name: 'faults', scopes: [...SCOPES] });
    return { institution, clientId: made.clientId, clientSecret: made.clientSecret };
  } finally {
    await engines.close();
  }
};
