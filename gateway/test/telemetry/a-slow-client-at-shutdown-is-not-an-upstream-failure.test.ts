import { once } from 'node:events';
import { connect } from 'node:tls';
import { expect, test } from '@jest/globals';
import { until } from '../fixtures/http.ts';
import { startInstallation } from '../fixtures/installation.ts';

test('a service that stops and closes the connection of a client that is still sending has not failed', async () => {
  const its = await startInstallation();
  const logged = its.log.length;
  const token = its.authorizer.token(['contacts:write']);
  const socket = connect({ port: its.gateway.httpsPort, host: '127.0.0.1', ca: its.ca, servername: 'localhost' });
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => undefined);
  const head = ['Host: localhost', `Authorization: Bearer ${token}`, 'Content-Type: application/json'];
  const lines = ['POST /svc/v3/contacts/individuals HTTP/1.1', ...head, 'Content-Length: 100', '', '{"a":'];
  socket.write(lines.join('\r\n'));
  await until(() => its.contacts.started() > 0);

  const closed = its.gateway.close();
  its.contacts.cut();
  await once(socket, 'close');
  await closed;
  expect(Buffer.concat(chunks).toString()).toMatch(/^HTTP\/1\.1 408 /);
  expect(its.log.slice(logged).filter(({ level }) => level !== 'info')).toEqual([]);
  expect(its.log).toContainEqual(
    expect.objectContaining({ message: 'request', operation: 'createIndividual', status: 408 }),
  );
  await its.close();
});
