import { generateKeyPairSync, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { buildAccessClaims, signAccessToken } from '@boxoffice/authorizer';
import { type Process, processes } from '@boxoffice/contracts';
import { createAccessTokenVerifier, createIdentityVerifier, signIdentity } from '@boxoffice/identity';
import { declared, decodeMessage, encodeMessage } from '@boxoffice/messaging';
import { builtInRows } from '@boxoffice/runtime/services';
import { expect, test } from '@jest/globals';
import { readRecording } from '../../src/documents.ts';
import {
  computeVerdict,
  isBreakingVersion,
  isHigher,
  judge,
  listMissingEntries,
  listObjections,
  parseEntry,
  readEntry,
} from '../../src/release.ts';
import { readReleasedSnapshot, toFileUrl } from '../../src/snapshot.ts';

test.each(processes)('$name: its description, its package and the CHANGELOG name one version', (process) => {
  const { version } = JSON.parse(readFileSync(toFileUrl(process, 'package.json'), 'utf8')) as { version: string };
  expect(process.version).toBe(version);
  expect(process.openapi().info.version).toBe(version);
  expect(readEntry(process, version).text).not.toBe('');
});

test.each(processes)(
  '$name: the snapshot is of one release, which is not later than the current version',
  (process) => {
    const snapshot = readReleasedSnapshot(process);
    const versions = [snapshot?.openapi.info.version, snapshot?.internal.info.version, snapshot?.events.version];
    expect(new Set(versions).size).toBe(1);
    expect(isHigher(String(versions[0]), process.version)).toBe(false);
  },
);

// What exists only during a step, after a crash, once the retention of something has ended, or while gateways report.
const passing = [
  'tickets/replacements',
  'tickets/scan_claims',
  'events/waiting_facts',
  'events/retired_resources',
  'authorizer/gateways',
  'authorizer/limit_shares',
  // Of an hour in which a user of the role customer met emails of others.
  'contacts/email_disclosures',
];

test.each(processes)('$name: documents of every released collection are recorded', (process) => {
  const { name } = process;
  const stored = readRecording().stored[name] ?? {};
  const released = Object.keys(readReleasedSnapshot(process)?.collections ?? {});
  const empty = released.filter((one) => (stored[one] ?? []).length === 0).map((one) => `${name}/${one}`);
  expect(empty.filter((one) => !passing.includes(one))).toEqual([]);
});

test('a version is released once', () => {
  const [first] = processes;
  if (!first) throw new Error('there is none');
  const version = readReleasedSnapshot(first)?.events.version ?? '';
  const rules = { together: [], replace: false };
  expect(listObjections({ ...first, version }, rules)).toContainEqual(expect.stringContaining('raise it'));
  const next = listObjections({ ...first, version: '7.0.0' }, rules);
  expect(next).toEqual([expect.stringContaining('has nothing below "## 7.0.0"')]);
});

test('a raised version without an entry in the CHANGELOG is refused', () => {
  const [first] = processes;
  if (!first) throw new Error('there is none');
  expect(computeVerdict([{ ...first, version: '7.0.0' }]).problems).toEqual([
    expect.stringMatching(/says 7\.0\.0, and CHANGELOG\.md has nothing below "## 7\.0\.0"/),
  ]);
  expect(computeVerdict([first]).problems).toEqual([]);
});

test('every released version has a dated entry', () => {
  const [first] = processes;
  if (!first) throw new Error('there is none');
  expect(listMissingEntries(first, '0.0.9')).toEqual([expect.stringContaining('0.0.9 is released')]);
});

test('the product, the client package, README, CHANGELOG and the served changes name one version', () => {
  const read = (name: string): string => readFileSync(toFileUrl({ folder: '.' }, name), 'utf8');
  const { version } = JSON.parse(read('package.json')) as { version: string };
  expect(JSON.parse(read('libs/client/package.json'))).toMatchObject({ version });
  expect(read('README.md')).toContain(`version ${version}`);
  expect(parseEntry(read('CHANGELOG.md'), version)).toMatchObject({ dated: true, text: expect.stringMatching(/./) });
  expect(parseEntry(read('docs/guides/changes.md'), version)).toMatchObject({ dated: true });
  expect(read('CHANGELOG.md') + read('docs/guides/changes.md')).not.toMatch(/^## (unreleased|not released)/im);
});

test.each([
  ['0.1.1', '0.1.0', true],
  ['0.10.0', '0.9.9', true],
  ['1.0.0', '0.99.0', true],
  ['0.1.0', '0.1.0', false],
  ['0.1.9', '0.2.0', false],
])('%s is higher than %s: %s', (later, earlier, higher) => {
  expect(isHigher(later, earlier)).toBe(higher);
});

test.each([
  ['0.2.0', '0.1.7', true],
  ['0.1.8', '0.1.7', false],
  ['1.3.0', '1.2.0', false],
  ['2.0.0', '1.2.0', true],
])('%s after %s announces a breaking change: %s', (later, earlier, says) => {
  expect(isBreakingVersion(later, earlier)).toBe(says);
});

test('an entry of the CHANGELOG is the text below its heading, which may name some processes', () => {
  const text =
    '# Changelog\n\n## 0.10.0, unreleased\n\n- new\n\n## orders, pos 0.1.1, 2027-02-01\n\n- mended\n\n## 0.1.0, 2027-01-31\n\n- old\n';
  expect(parseEntry(text, '0.10.0', 'orders')).toEqual({ text: '- new', dated: false });
  expect(parseEntry(text, '0.1.0')).toEqual({ text: '- old', dated: true });
  expect(parseEntry(text, '0.1.1', 'pos')).toEqual({ text: '- mended', dated: true });
  expect([
    parseEntry(text, '0.1.1', 'catalog').text,
    parseEntry(text, '0.1.1').text,
    parseEntry(text, '0.1').text,
  ]).toEqual(['', '', '']);
});

test('a call that another service’s last release lacks must wait for its next release', () => {
  const orders = processes.find(({ name }) => name === 'orders');
  if (!orders) throw new Error('there are no orders');
  const lastOf = (process: Process) => {
    const snapshot = structuredClone(readReleasedSnapshot(process));
    if (snapshot && process.name === 'catalog')
      delete (snapshot.internal.paths as Record<string, object>)['/internal/stock/quotes'];
    return snapshot;
  };
  const rules = { together: ['orders'], replace: true, lastOf };
  expect(listObjections(orders, rules)).toEqual([expect.stringMatching(/calls quoteItems, .* release catalog first/)]);
  expect(listObjections(orders, { ...rules, together: ['orders', 'catalog'] })).toEqual([]);
});

test('an announced break passes, and an announcement without a change fails', () => {
  const found = [{ process: 'orders', where: 'GET /a', what: 'is gone', hurts: ['partners'] }];
  const reason = 'nobody has called it for a year';
  const announced = { breaks: [], announced: found, problems: [] };
  expect(judge(found, [{ change: 'GET /a: is gone', reason }], 'withdrawn.json')).toEqual(announced);
  const other = judge(found, [{ change: 'GET /b: is gone', reason }], 'withdrawn.json');
  expect(other).toMatchObject({ breaks: found, problems: [expect.stringContaining('no change "GET /b')] });
});

// Tokens and messages pass between processes of two releases. These are their members since 0.2.0, those of a client
// with bounds since 0.3.0: a release adds members only, and reads what has no others.

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const keys = { key: async () => publicKey, refresh: async () => undefined };
const now = Math.floor(Date.now() / 1_000);

const partsOf = (token: string) =>
  token
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()));

/** A token of exactly this header and these claims. */
const tokenOf = (...parts: readonly object[]): string => {
  const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
};

const times = { iat: now, exp: now + 60 };
const user = { id: 'usr_1', role: 'customer', contact: '000123', pointsOfSale: ['pos_1'] } as const;

test('an identity token', async () => {
  const header = { alg: 'ES256', typ: 'identity+jwt', kid: 'one' };
  const claims = { iss: 'boxoffice-authorizer', aud: 'orders', institution: 'opera', operation: 'getOrder', ...times };
  const caller = {
    institution: 'opera',
    client: 'cli_1',
    service: null,
    scopes: ['orders:read'],
    operation: 'getOrder',
    user,
    bounds: null,
    isPublic: false,
  };
  const ofUser = { id: 'usr_1', client: 'cli_1', role: 'customer', contact: '000123', points_of_sale: ['pos_1'] };
  const written = { ...claims, scope: 'orders:read', user: ofUser };
  const token = signIdentity({ kid: 'one', privateKey }, { audience: 'orders', caller, issuedAt: now, lifetime: 60 });
  expect(partsOf(token)).toMatchObject([header, written]);
  const verify = createIdentityVerifier({ keys, audience: 'orders' });
  expect(await verify(tokenOf(header, written))).toEqual(caller);
  const byClient = tokenOf(header, { ...claims, client: 'cli_1', scope: '' });
  expect(await verify(byClient)).toMatchObject({ service: null, client: 'cli_1', user: null });
  const byService = tokenOf(header, { ...claims, service: 'pos', scope: '' });
  expect(await verify(byService)).toMatchObject({ service: 'pos', client: null, scopes: [], user: null });
  expect(await verify(tokenOf(header, { ...claims, public: true, scope: '' }))).toMatchObject({ isPublic: true });
  const bounds = { ownOrders: true, pointsOfSale: ['tickets.opera.example'] };
  const bounded = { user: ofUser, own_orders: true, points_of_sale: ['tickets.opera.example'] };
  const narrow = { audience: 'orders', caller: { ...caller, bounds }, issuedAt: now, lifetime: 60 };
  expect(partsOf(signIdentity({ kid: 'one', privateKey }, narrow))[1]).toMatchObject({ ...claims, bounded });
  expect(await verify(tokenOf(header, { ...claims, scope: 'orders:read', bounded }))).toEqual({ ...caller, bounds });
});

test('an access token', async () => {
  const issuer = 'https://tickets.example';
  const header = { alg: 'ES256', typ: 'at+jwt', kid: 'one' };
  const written = {
    iss: issuer,
    aud: issuer,
    sub: 'usr_1',
    client_id: 'cli_1',
    institution: 'opera',
    scope: 'orders:read',
    role: 'customer',
    contact: '000123',
    points_of_sale: ['pos_1'],
    auth_time: now,
    ...times,
  };
  const claims = buildAccessClaims({
    client: { id: 'cli_1', institution: 'opera' },
    origin: { grantId: 'gnt_1', secretId: 'sec_1' },
    scopes: ['orders:read'],
    user: { ...user, authTime: now },
    issuer,
    lifetime: 60,
    now: now * 1_000,
  });
  const token = await signAccessToken(JSON.stringify(claims), 'one', privateKey);
  expect(partsOf(token)).toMatchObject([header, { ...written, jti: expect.any(String) }]);
  const verify = createAccessTokenVerifier({ keys, issuer });
  expect(await verify(tokenOf(header, { ...written, jti: 'gnt_1.1' }))).toEqual(
    await verify(tokenOf(header, { ...claims, jti: 'gnt_1.1' })),
  );
});

test('a message', async () => {
  const message = {
    id: 'a',
    type: 'order.cancelled',
    key: 'ord_1',
    version: 3,
    institution: 'opera',
    occurredAt: '2027-03-14T19:02:11.000Z',
    data: { orderId: 'ord_1' },
    traceparent: '00-1',
  };
  expect(JSON.parse(encodeMessage(message).content.toString())).toMatchObject(message);
  expect(await decodeMessage({ content: Buffer.from(JSON.stringify(message)) })).toEqual(message);
  const { traceparent: _, ...untraced } = message;
  expect(await decodeMessage({ content: Buffer.from(JSON.stringify(untraced)) })).toEqual(untraced);
});

const facts = processes.flatMap(({ name, publishes }) => Object.keys(publishes).map((type) => ({ name, type })));

test.each(processes)(
  '$name: a fact of the last release that it publishes no more leaves the outbox unpublished',
  (process) => {
    const released = Object.keys(readReleasedSnapshot(process)?.events.publishes ?? {});
    expect(process.withdrawn.toSorted()).toEqual(released.filter((type) => !(type in process.publishes)).toSorted());
  },
);

test('only the broker user of the publishing process may publish a fact', () => {
  const named = builtInRows.flatMap(({ name, publishes }) => publishes.map((type) => `${name} ${type}`));
  expect(facts.map(({ name, type }) => `${name} ${type}`).toSorted()).toEqual(named.toSorted());
});

test('the queues of a process begin with its name', () => {
  const names = processes.flatMap(({ name, consumes }) =>
    Object.keys(consumes).filter((queue) => queue.startsWith(`${name}.`)),
  );
  expect(names.toSorted()).toEqual(declared.queues.map(({ name }) => name).toSorted());
});
