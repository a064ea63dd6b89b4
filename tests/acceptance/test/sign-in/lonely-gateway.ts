import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGateway } from '@boxoffice/gateway';
import { createLogger, developmentCertificate } from '@boxoffice/runtime';

/** An address where no process listens (RFC 6335: reserved). */
const NOBODY = 'http://127.0.0.1:1';

const certificateOf = async () => {
  const directory = await mkdtemp(join(tmpdir(), 'boxoffice-lonely-'));
  try {
    return await developmentCertificate(directory);
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  }
};

// Made while the suite is loaded: its maker is imported on demand, which Jest refuses to concurrent tests.
const tls = await certificateOf();

/** A gateway that reaches no service and takes one request a minute: it refuses pages with 503, then with 429. */
export interface LonelyGateway {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts it. */
export const startLonelyGateway = async (): Promise<LonelyGateway> => {
  const gateway = await startGateway({
    host: '127.0.0.1',
    port: 0,
    httpPort: 0,
    tls,
    publicUrl: 'https://tickets.example.org',
    services: { authorizer: NOBODY },
    serviceSecret: 'of no process',
    limits: { client: 1, address: 1, session: 1 },
    logger: createLogger({ service: 'gateway', pretty: false, write: () => undefined }),
  });
  return {
    url: gateway.httpsUrl,
    close: () => gateway.close(),
  };
};
