'use strict';

// The health check of every image, which has neither a shell nor curl. The process is ready if it answers 200.
// Loading modules is most of the cost of a check: a socket takes half the processor time of Node's HTTP client, a
// CommonJS script half of that of an ES module.
const { BOXOFFICE_SERVICE, GATEWAY_HTTP_PORT = '8080', PORT = '8081', SERVICE_TLS_CERT_FILE } = process.env;
const gateway = BOXOFFICE_SERVICE === 'gateway';
const end = (ready) => process.exit(ready ? 0 : 1);

// The loopback address, which is in no certificate: hence no verification.
const to = { host: '127.0.0.1', port: Number(gateway ? GATEWAY_HTTP_PORT : PORT), rejectUnauthorized: false };
const socket = !gateway && SERVICE_TLS_CERT_FILE ? require('node:tls').connect(to) : require('node:net').connect(to);
let head = '';
socket
  .setEncoding('latin1')
  .on('data', (text) => {
    head += text;
    if (head.includes('\n')) end(/^HTTP\/1\.1 200 /.test(head));
  })
  .on('error', () => end(false))
  .on('close', () => end(false))
  .setTimeout(5_000, () => end(false))
  .write('GET /health/ready HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
