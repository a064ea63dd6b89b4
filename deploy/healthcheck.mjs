import { get } from 'node:http';

// The health check of every image: node asks itself, since there is neither a shell nor curl. Ready is 200; anything else is not.
const { BOXOFFICE_SERVICE, GATEWAY_HTTP_PORT = '8080', PORT = '8081' } = process.env;
const port = BOXOFFICE_SERVICE === 'gateway' ? GATEWAY_HTTP_PORT : PORT;

get({ host: '127.0.0.1', port, path: '/health/ready', timeout: 3_000 }, ({ statusCode }) => {
  process.exit(statusCode === 200 ? 0 : 1);
})
  .on('timeout', () => process.exit(1))
  .on('error', () => process.exit(1));
