import { get } from 'node:http';
import { get as getSecurely } from 'node:https';

// The health check of every image: node asks itself, since there is neither a shell nor curl. Ready is 200; anything else is not.
const { BOXOFFICE_SERVICE, GATEWAY_HTTP_PORT = '8080', PORT = '8081', SERVICE_TLS_CERT_FILE } = process.env;
const gateway = BOXOFFICE_SERVICE === 'gateway';
const ask = !gateway && SERVICE_TLS_CERT_FILE ? getSecurely : get;
const end = (ready) => process.exit(ready ? 0 : 1);

// It asks itself by its address, for which no certificate is made.
const where = { host: '127.0.0.1', port: gateway ? GATEWAY_HTTP_PORT : PORT, rejectUnauthorized: false };
ask({ ...where, path: '/health/ready', timeout: 3_000 }, ({ statusCode }) => end(statusCode === 200))
  .on('timeout', () => end(false))
  .on('error', () => end(false));
