import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const PROGRAM = fileURLToPath(new URL('../../../../deploy/compose/make-secrets.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'boxoffice-secrets-'));
const make = (env: Record<string, string> = {}): void => {
  execFileSync(process.execPath, [PROGRAM], { env: { SECRETS_DIR: folder, ...env } });
};
const files = (): Record<string, string> =>
  Object.fromEntries(
    globSync('*/*', { cwd: folder })
      .sort()
      .map((path) => [path, readFileSync(join(folder, path), 'utf8')]),
  );
let first: Record<string, string>;

beforeAll(() => {
  mkdirSync(join(folder, 'own'));
  make();
  first = files();
});
afterAll(() => rmSync(folder, { recursive: true }));

const passwordIn = (url: string | undefined): string => new URL(String(url)).password;

test('every user has a password of its own, of 256 bits', () => {
  const passwords = Object.entries(first)
    .filter(([path]) => /-url$/.test(path))
    .map(([, url]) => passwordIn(url));
  expect(passwords.length).toBe(17);
  expect(new Set(passwords).size).toBe(17);
  for (const password of passwords) expect(password).toMatch(/^[A-Za-z0-9_-]{43}$/);
});

test('a container reads what it needs and nothing of the others', () => {
  const given = (name: string) =>
    Object.keys(first)
      .filter((path) => path.startsWith(`${name}/`))
      .map((path) => path.slice(name.length + 1));
  expect(given('gateway')).toEqual(['amqp-url', 'service-secret']);
  expect(given('orders')).toEqual(['amqp-url', 'mongodb-url', 'service-secret']);
  expect(given('authorizer')).toEqual(['amqp-url', 'key-encryption-key', 'mongodb-url', 'service-root-secret']);
  const orders = passwordIn(first['orders/mongodb-url']);
  const containing = Object.entries(first).filter(([, text]) => text.includes(orders));
  expect(containing.map(([path]) => path)).toEqual(['mongodb/users.json', 'orders/mongodb-url', 'own/secrets.json']);
});

test('the file with all of them is its owner’s alone, also one that an earlier start left open', () => {
  const own = join(folder, 'own/secrets.json');
  const mode = () => statSync(own).mode & 0o777;
  expect(mode()).toBe(0o600);
  chmodSync(own, 0o444);
  make();
  expect(mode()).toBe(0o600);
});

test('only the authorizer and the operator have the root', () => {
  const root = String(first['authorizer/service-root-secret']);
  const containing = Object.entries(first).filter(([, text]) => text.includes(root));
  expect(containing.map(([path]) => path)).toEqual([
    'authorizer/service-root-secret',
    'operator/service-root-secret',
    'own/secrets.json',
  ]);
  const others = Object.keys(first).filter((path) => path.endsWith('/service-secret'));
  expect(new Set(others.map((path) => first[path])).size).toBe(7);
});

test('RabbitMQ gets hashes that fit the passwords, and no guest', () => {
  const { users, permissions } = JSON.parse(String(first['rabbitmq/definitions.json']));
  expect(users.map(({ name }: { name: string }) => name)).not.toContain('guest');
  expect(permissions).toHaveLength(users.length);
  for (const { name, password_hash } of users) {
    const bytes = Buffer.from(password_hash, 'base64');
    const password = passwordIn(first[`${name}/amqp-url`]);
    expect(createHash('sha256').update(bytes.subarray(0, 4)).update(password).digest()).toEqual(bytes.subarray(4));
  }
});

test('the next start keeps what exists and writes lost files again', () => {
  unlinkSync(join(folder, 'orders/mongodb-url'));
  make();
  const second = files();
  delete second['rabbitmq/definitions.json'];
  const { 'rabbitmq/definitions.json': _salted, ...unsalted } = first;
  expect(second).toEqual(unsalted);
});

test('MONGODB_URL replaces the MongoDB of the composition', () => {
  make({ MONGODB_URL: 'mongodb://elsewhere/boxoffice' });
  expect(files()['orders/mongodb-url']).toBe('mongodb://elsewhere/boxoffice');
});
