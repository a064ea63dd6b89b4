import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import {
  createClub,
  createOperator,
  createTemporaryDirectory,
  sharedDirectory as directory,
  getSharedProduct,
  PUBLIC_URL,
  startProduct,
  stopSharedProduct,
} from './program.ts';

const noteFile = join(directory, 'running.json');

/** The address in the link that an operator without the setting gets. */
const linkFrom = async (operator: ReturnType<typeof createOperator>): Promise<string> => {
  await createClub(operator);
  const user = ['ann@club.example', '--name', 'Ann', '--role', 'admin'];
  const created = await operator('api-users', 'create', 'club', ...user, '--json');
  return new URL(JSON.parse(created.out).invitation.url).origin;
};

test('status is good and links lead to PUBLIC_URL while npm start runs', async () => {
  await getSharedProduct();
  const operator = createOperator(directory);
  expect(await operator('check', '--json')).toMatchObject({ status: 0 });
  // A process whose store does not answer within a second is not ready for a moment.
  let status = await operator('status', '--json');
  for (let tries = 1; status.status !== 0 && tries < 100; tries += 1) status = await operator('status', '--json');
  const report = JSON.parse(status.out);
  expect([status.status, report.problems, report.addresses]).toEqual([0, [], 'npm start']);
  const services = ['gateway', 'authorizer', 'catalog', 'contacts', 'orders', 'tickets', 'events', 'payments', 'pos'];
  expect(report.processes.map(({ service }: { service: string }) => service)).toEqual(services);
  for (const { version, state } of report.processes)
    expect([version, state]).toEqual([expect.stringMatching(/^\d+\.\d+\.\d+$/), 'ready']);
  expect((await operator('restore', directory)).status).toBe(1);
  expect(statSync(noteFile).mode & 0o777).toBe(0o600);

  const { urls } = JSON.parse(readFileSync(noteFile, 'utf8'));
  const typed = JSON.parse((await createOperator(directory, { ORDERS_URL: urls.orders })('status', '--json')).out);
  expect([typed.problems, typed.notAsked, typed.addresses]).toEqual([[], [], 'settings and npm start']);
  expect(typed.processes.map(({ service }: { service: string }) => service)).toEqual(services);

  expect(await linkFrom(operator)).toBe(PUBLIC_URL);
});

test('a graceful stop removes the addresses; leftover addresses count only if their process listens', async () => {
  await getSharedProduct();
  const note = JSON.parse(readFileSync(noteFile, 'utf8'));
  await stopSharedProduct();
  expect(existsSync(noteFile)).toBe(false);

  // As a killed process leaves it.
  writeFileSync(noteFile, JSON.stringify(note));
  const dead = await createOperator(directory)('status');
  expect([dead.status, dead.out]).toEqual([1, expect.stringContaining('WRONG: boxoffice is not running on')]);

  const anybody = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(anybody, 'listening');
  const there = `http://127.0.0.1:${(anybody.address() as AddressInfo).port}`;
  const report = async (change: object) => {
    writeFileSync(noteFile, JSON.stringify({ ...note, urls: { orders: there }, ...change }));
    return JSON.parse((await createOperator(directory)('status', '--json')).out).addresses;
  };
  const pid = process.pid;
  expect(await report({ pid })).toBe('npm start');
  expect(await report({})).toBe('nowhere');
  expect(await report({ pid, urls: { orders: 'http://127.0.0.1:1' } })).toBe('nowhere');
  expect(await report({ pid, store: 'MongoDB at 127.0.0.1:1/boxoffice' })).toBe('nowhere');
  anybody.close();
  rmSync(noteFile);
});

const { TEST_MONGODB_URL, TEST_AMQP_URL } = process.env;
const both = TEST_MONGODB_URL && TEST_AMQP_URL ? test : test.skip;
if (both === test.skip)
  process.stdout.write('skipped: npm start on servers needs TEST_MONGODB_URL and TEST_AMQP_URL\n');

both('with its data on MongoDB and RabbitMQ its processes and its public address are found as well', async () => {
  const engines = {
    MONGODB_URL: `${TEST_MONGODB_URL}/operator_${randomUUID().slice(0, 8)}`,
    AMQP_URL: String(TEST_AMQP_URL),
  };
  const directory = createTemporaryDirectory();
  const product = await startProduct(directory, { ...engines, PUBLIC_URL });
  const report = JSON.parse((await createOperator(directory, engines)('status', '--json')).out);
  expect([report.addresses, report.notAsked, report.processes.length]).toEqual(['npm start', [], 9]);
  expect(await linkFrom(createOperator(directory, engines))).toBe(PUBLIC_URL);
  await product.stop();
  const after = JSON.parse((await createOperator(directory, engines)('status', '--json')).out);
  expect([after.addresses, after.notAsked.length]).toEqual(['nowhere', 9]);
});
