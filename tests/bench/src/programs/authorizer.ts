import { authorizer, createApiKey, createClient } from '@boxoffice/authorizer';
import { createLogger, deriveServiceSecret } from '@boxoffice/runtime';
import { openEngines, startService } from '@boxoffice/service';
import { type AuthorizerAnnouncement, announce, createScratchDirectory } from '../measure/processes.ts';

// The authorizer alone, on SQLite, with a client and an API key.
const [issuer = 'https://localhost:8443'] = process.argv.slice(2);
const directory = createScratchDirectory();
const logger = createLogger({ service: 'authorizer', level: 'error' });
const engines = await openEngines({ mongodbUrl: undefined, amqpUrl: undefined, directory, logger });
const store = await engines.store('authorizer', authorizer.collections);
const serviceRootSecret = 'benchmark-service-secret';
const institution = 'bench';
const client = await createClient(store, { institution, name: 'bench', scopes: ['contacts:read'] });
const { key: apiKey } = await createApiKey(store, institution, { name: 'bench', ratePerMinute: 1_000_000 });
const { url } = await startService(authorizer, {
  store,
  bus: engines.bus,
  publicUrl: issuer,
  serviceSecret: deriveServiceSecret(serviceRootSecret, 'authorizer'),
  host: '127.0.0.1',
  port: 0,
  logger,
  settings: {
    accessTokenLifetime: 900,
    loginFailuresPerAddress: 300,
    serviceRootSecret,
    keyEncryptionKey: 'benchmark-key-encryption-key',
    // Not asked: no user is created by requests.
    catalogUrl: 'http://127.0.0.1:1',
    contactsUrl: 'http://127.0.0.1:1',
    servicesFile: undefined,
  },
});
const { clientId, clientSecret } = client;
const serviceSecret = deriveServiceSecret(serviceRootSecret, 'gateway');
announce({ url, clientId, clientSecret, apiKey, serviceSecret } satisfies AuthorizerAnnouncement);
