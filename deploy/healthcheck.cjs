'use strict';

// The health check of every image: Node asks the program, since there is neither a shell nor curl. Ready is 200; anything else is not.
// It runs every few seconds in every container, and what it loads is most of what it costs: a socket takes half the processor time of
// Node's HTTP client, a script half of a module.
const { BOXOFFICE_SERVICE, GATEWAY_HTTP_PORT = '8080', PORT = '8081', SERVICE_TLS_CERT_FILE } = process.env;
const gateway = BOXOFFICE_SERVICE === 'gateway';
const end = (ready) => process.exit(ready ? 0 : 1);

// It asks by the address of the container itself, for which no certificate is made.
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
