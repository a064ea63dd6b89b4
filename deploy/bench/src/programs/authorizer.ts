import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { authorizer, createClient } from '@boxoffice/authorizer';
import { createLogger, deriveServiceSecret } from '@boxoffice/runtime';
import { openEngines, startService } from '@boxoffice/service';
import { announce } from '../measure/child.ts';

/** The address of the benchmark's authorizer, and a client of it. */
export interface AuthorizerAnnouncement {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The gateway's service secret. */
  readonly serviceSecret: string;
  readonly issuer: string;
}

// The authorizer alone, on SQLite, with one client that may read contacts.
const [issuer = 'https://localhost:8443'] = process.argv.slice(2);
const directory = mkdtempSync(join(tmpdir(), 'boxoffice-bench-'));
process.once('exit', () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
const logger = createLogger({ service: 'authorizer', level: 'error' });
const engines = await openEngines({ mongodbUrl: undefined, amqpUrl: undefined, directory, logger });
const store = await engines.store('authorizer', authorizer.collections);
const serviceRootSecret = 'benchmark-service-secret';
const { clientId, clientSecret } = await createClient(store, {
  institution: 'bench',
  name: 'bench',
  scopes: ['contacts:read'],
});
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
  },
});
const serviceSecret = deriveServiceSecret(serviceRootSecret, 'gateway');
announce({ url, clientId, clientSecret, serviceSecret, issuer } satisfies AuthorizerAnnouncement);
