import { createPrivateKey } from 'node:crypto';
import { accessClaims, authorizer, createClient, SCOPES, signAccessToken } from '@boxoffice/authorizer';
import { catalog, createInstitution } from '@boxoffice/catalog';
import { sealingKey, unseal } from '@boxoffice/runtime';
import { collection, type Document } from '@boxoffice/store';
import { authorizationOf, type Client } from '@boxoffice/testkit';
import type { Deployment } from '../deployment/deployment.ts';
import { openStores } from '../deployment/installation.ts';
import { openHall, openPointOfSale } from '../round/stage.ts';
import type { AttackPlan } from './attacker/attack-plan.ts';

interface SigningKey extends Document {
  readonly kid: string;
  readonly sealed: string;
}

const signingKeys = collection<SigningKey>('signing_keys');

const DAY_MS = 86_400_000;

/** Tokens as a thief or a forger has them; one that was signed by the product and is past its time among them. */
const tokensFor = async (
  { data, address, partner }: Deployment,
  keyEncryptionKey: string,
  anonymous: Client,
): Promise<AttackPlan['tokens']> => {
  const engines = await openStores({ ...data, amqpUrl: undefined });
  try {
    const institution = 'theatre';
    const institutions = await engines.store(catalog.name, catalog.collections);
    await createInstitution(institutions, { id: institution, name: 'Theatre', currency: 'CHF', languages: ['en'] });
    const store = await engines.store(authorizer.name, authorizer.collections);
    const other = await createClient(store, { institution, name: 'attacker', scopes: [...SCOPES] });
    const valid = await authorizationOf(anonymous, other);
    const [key] = await store.collection(signingKeys).acrossInstitutions.find();
    const opened = key && unseal(sealingKey(keyEncryptionKey, 'signing keys at rest'), key.kid, key.sealed);
    if (!opened) throw new Error('the signing key of the deployment cannot be read');
    const claims = accessClaims({
      issuer: address.baseUrl,
      client: { id: partner.clientId, institution: partner.institution },
      origin: { grantId: undefined, secretId: 'stolen' },
      scopes: [...SCOPES],
      lifetime: 900,
      now: Date.now() - DAY_MS,
    });
    const privateKey = createPrivateKey({ key: opened, format: 'der', type: 'pkcs8' });
    const expired = signAccessToken(JSON.stringify(claims), key.kid, privateKey);
    const [header = '', , signature = ''] = expired.split('.');
    const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const now = Math.floor(Date.now() / 1_000);
    const live = encoded({ ...claims, iat: now, exp: now + 900 });
    return {
      expired,
      wrongSignature: `${header}.${live}.${signature}`,
      withoutSignature: `${encoded({ alg: 'none', typ: 'at+jwt' })}.${live}.`,
      otherInstitution: valid.replace('Bearer ', ''),
    };
  } finally {
    await engines.close();
  }
};

/** The places of the performance that the attacker's sessions take. */
const PLACES = 20_000;
/** Longer than a siege: what a session holds must not become free for the next one. */
const HOLD_SECONDS = 900;

/**
 * Gives the attacker what it may know: a point of sale of its own, which no honest buyer uses, tokens, and an order of
 * the honest partner.
 */
export const prepareAttack = async (
  deployment: Deployment,
  api: Client,
  anonymous: Client,
  { keyEncryptionKey, orderId, name }: { keyEncryptionKey: string; orderId: string; name: string },
): Promise<Pick<AttackPlan, 'serviceHost' | 'item' | 'clientId' | 'orderId' | 'tokens'>> => {
  const hall = await openHall(api, name, [{ code: 'FLOOR', capacity: PLACES }]);
  const serviceHost = await openPointOfSale(api, name, hall, HOLD_SECONDS);
  const { performanceId, tariffId, sections } = hall;
  return {
    serviceHost,
    item: { performanceId, tariffId, seatCategoryId: String(sections[0]?.id) },
    clientId: deployment.partner.clientId,
    orderId,
    tokens: await tokensFor(deployment, keyEncryptionKey, anonymous),
  };
};
