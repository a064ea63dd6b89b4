// The programs that a benchmark starts as processes: the gateway and everything around it.

import { createWriteStream } from 'node:fs';
import { devNull } from 'node:os';
import { createBufferedAccessLog, keepRequestsYoung, startGateway } from '@boxoffice/gateway';
import { createLogger, ensureDevelopmentCertificate } from '@boxoffice/runtime';
import { announce, createScratchDirectory } from '../measure/processes.ts';

// The gateway alone: every check on, rate limits disabled, plain HTTP as behind a TLS-terminating balancer.
const [authorizerUrl = '', contactsUrl = '', serviceSecret = '', publicUrl = ''] = process.argv.slice(2);
keepRequestsYoung();
const directory = createScratchDirectory();
const { cert, key } = await ensureDevelopmentCertificate(directory, ['localhost']);
// The access log as npm start writes it, so that its cost is measured; standard output carries the announcement.
const nowhere = createWriteStream(devNull);
const gateway = await startGateway({
  host: '127.0.0.1',
  port: 0,
  httpPort: 0,
  tls: { cert, key },
  publicUrl,
  trustProxy: ['127.0.0.0/8'],
  services: { authorizer: authorizerUrl, contacts: contactsUrl },
  serviceSecret,
  limits: { client: 1e9, address: 1e9, session: 1e9 },
  logger: createLogger({ service: 'gateway', level: 'error' }),
  accessLog: createBufferedAccessLog((lines) => nowhere.write(lines)),
});
await gateway.ready();
announce({ url: gateway.httpUrl });
