// Formats of tokens and messages, observed on samples of the current code.

import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { accessClaims, signAccessToken } from '@boxoffice/authorizer';
import type { Schema } from '@boxoffice/codegen';
import { createIdentityVerifier, type KeySet, signIdentity, verifyAccessToken } from '@boxoffice/identity';
import { decodeMessage, encodeMessage, type Message } from '@boxoffice/messaging';
import { isObject, type Members, type Reader, readingOf, shapeOf } from './shape.ts';

/** The formats between processes, other than requests and facts. */
export const formatNames = ['identity token', 'access token', 'message'] as const;
export type FormatName = (typeof formatNames)[number];

/** A format: as it is written, and the members that readers use. */
export interface Format {
  readonly written: Schema;
  readonly read: Schema;
}

/** Samples of two installations, so that their addresses are not taken as part of the format. */
const ISSUERS = ['https://tickets.example', 'https://box-office.example'] as const;
const [first, second] = ['one', 'two'].map((kid) => ({ kid, ...generateKeyPairSync('ec', { namedCurve: 'P-256' }) }));
if (!first || !second) throw new Error('there are no keys');
const keys: KeySet = {
  key: async (kid) => [first, second].find((one) => one.kid === kid)?.publicKey,
  refresh: async () => undefined,
};
const now = Math.floor(Date.now() / 1_000);

const part = (text: string): Members => JSON.parse(Buffer.from(text, 'base64url').toString());
const tokenParts = (token: string): Members => {
  const [header = '', claims = ''] = token.split('.');
  return { header: part(header), claims: part(claims) };
};
const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value ?? {})).toString('base64url');

/** A token of any header and claims, with a signature that verifies. */
const tokenOf = ({ header, claims }: Members, privateKey: KeyObject): string => {
  const text = `${encoded(header)}.${encoded(claims)}`;
  return `${text}.${sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
};

const formatOf = async (samples: readonly Members[], read: Reader): Promise<Format> => {
  const written = shapeOf(samples);
  const readings: Schema[] = [];
  for (const sample of samples) readings.push(await readingOf(sample, written, read));
  return { written, read: joined(readings) };
};

/** Combines readings: the members that all need, and those that any one of them reads. */
const joined = (readings: readonly Schema[]): Schema => {
  const names = [...new Set(readings.flatMap(({ properties = {} }) => Object.keys(properties)))].toSorted();
  const of = (name: string) =>
    readings.flatMap(({ properties }): Schema[] => (properties?.[name] ? [properties[name]] : []));
  const member = (name: string): Schema => {
    const [one = {}] = of(name);
    return one.properties ? joined(of(name)) : one;
  };
  return {
    type: 'object',
    required: names.filter((name) => readings.every(({ required = [] }) => required.includes(name))),
    properties: Object.fromEntries(names.map((name) => [name, member(name)])),
  };
};

const customer = { id: 'usr_1', role: 'customer', contact: '000123', pointsOfSale: [] } as const;
const till = { id: 'usr_2', role: 'box_office', contact: null, pointsOfSale: ['pos_1'] } as const;

const identities = [
  {
    audience: 'orders',
    caller: { institution: 'opera', client: 'cli_1', service: null, scopes: ['orders:read'], operation: 'getOrder' },
  },
  {
    audience: 'catalog',
    caller: { institution: 'museum', client: null, service: 'orders', scopes: [], operation: 'holdPlaces' },
  },
  ...[customer, till].map((user) => ({
    audience: 'orders',
    caller: { institution: 'opera', client: 'cli_1', service: null, scopes: [], operation: 'listOrders', user },
  })),
  {
    audience: 'catalog',
    caller: { institution: 'opera', client: null, service: null, scopes: [], operation: 'x', isPublic: true },
  },
].map((one, index) =>
  signIdentity(index === 0 ? first : second, { ...one, issuedAt: now - index, lifetime: 60 - index }),
);

const accesses = [
  {
    client: { id: 'cli_1', institution: 'opera' },
    origin: { grantId: undefined, secretId: 'sec_1' },
    scopes: ['orders:read', 'orders:write'],
  },
  { client: { id: 'cli_2', institution: 'museum' }, origin: { grantId: undefined, secretId: 'sec_2' }, scopes: [] },
  ...[customer, till].map((user) => ({
    client: { id: 'cli_1', institution: 'opera' },
    origin: { grantId: 'gnt_1', secretId: 'sec_1' },
    scopes: ['orders:read'],
    user: { ...user, authTime: now },
  })),
].map((one, index) => {
  const { kid, privateKey } = index === 0 ? first : second;
  const claims = accessClaims({
    ...one,
    issuer: index === 0 ? ISSUERS[0] : ISSUERS[1],
    lifetime: 900 - index,
    now: (now - index) * 1_000,
  });
  return signAccessToken(JSON.stringify(claims), kid, privateKey);
});

const plain = { institution: 'opera', data: {} } as const;
const messages: readonly Message[] = [
  {
    ...plain,
    id: 'a',
    type: 'order.cancelled',
    key: 'ord_1',
    version: 3,
    occurredAt: '2027-03-14T19:02:11.000Z',
    traceparent: '00-1',
  },
  {
    ...plain,
    institution: 'museum',
    id: 'b',
    type: 'order.expired',
    key: 'ord_2',
    version: 4,
    occurredAt: '2027-03-15T19:02:11.000Z',
  },
];
const messageParts = (message: Message): Members => {
  const { content, properties } = encodeMessage(message);
  return { body: JSON.parse(content.toString()), properties: JSON.parse(JSON.stringify(properties)) };
};

const keyOf = ({ header }: Members): KeyObject =>
  (isObject(header) && header.kid === second.kid ? second : first).privateKey;

const readIdentity: Reader = async (sample) => {
  const audience =
    isObject(sample.claims) && ['holdPlaces', 'x'].includes(String(sample.claims.operation)) ? 'catalog' : 'orders';
  return createIdentityVerifier({ keys, audience })(tokenOf(sample, keyOf(sample)));
};
const readAccess: Reader = async (sample) => {
  const issuer = isObject(sample.header) && sample.header.kid === second.kid ? ISSUERS[1] : ISSUERS[0];
  return verifyAccessToken({ keys, issuer })(tokenOf(sample, keyOf(sample)));
};
const readMessage: Reader = async ({ body }) => decodeMessage({ content: Buffer.from(JSON.stringify(body ?? null)) });

/** The formats as the current code writes and reads them, observed on samples, so that no table needs maintenance. */
export const formats: Readonly<Record<FormatName, Format>> = {
  'identity token': await formatOf(identities.map(tokenParts), readIdentity),
  'access token': await formatOf(accesses.map(tokenParts), readAccess),
  message: await formatOf(messages.map(messageParts), readMessage),
};
