import { Fault } from '@boxoffice/envelope';
import { deriveId, type LogFields } from '@boxoffice/runtime';
import type { WorkResult } from '@boxoffice/service';
import { type Documents, insertUnlessTaken, type New } from '@boxoffice/store';
import type { Static } from 'typebox';
import { BY_ITSELF_MS, connectWith, type PaymentsContext } from '../context.ts';
import { isProvider, type Mode, providers as names, type ProviderName, readMode } from '../domain/keys.ts';
import { isUnderWay } from '../domain/payment.ts';
import { type Provider, ProviderFault } from '../provider/port.ts';
import type { PaymentDocument, ProviderDocument } from '../store.ts';
import type { ProviderKeys } from './schemas.ts';

type NewKeys = Static<typeof ProviderKeys>;

/** Throws unless the record may be replaced. */
type Check = (stored: ProviderDocument | undefined) => void;

/** @throws Fault `not_found` */
export function requireProvider(name: string): ProviderName {
  if (isProvider(name)) return name;
  throw new Fault('not_found', `There is no payment provider of this name; there is ${names.join(', ')}.`);
}

export function deriveProviderId(institution: string, provider: ProviderName): string {
  return deriveId('prv', institution, provider);
}

export async function findKeys(
  context: Pick<PaymentsContext, 'providers'>,
  institution: string,
  provider: ProviderName,
): Promise<ProviderDocument | undefined> {
  const found = await readRecord(context, institution, provider);
  return found?.mode == null ? undefined : found;
}

/** Also of keys that were deleted; undefined where there never were any. */
export function readRecord(
  { providers }: Pick<PaymentsContext, 'providers'>,
  institution: string,
  provider: ProviderName,
): Promise<ProviderDocument | undefined> {
  return providers.of(institution).get(deriveProviderId(institution, provider));
}

/** There are no keys, or none of the account, that something belongs to: only its own account knows it. */
export class ForeignKeys extends Error {
  override readonly name = 'ForeignKeys';
}

/** With the keys of the account that a payment belongs to, as far as they tell. @throws ForeignKeys */
export async function connectFor(context: PaymentsContext, payment: PaymentDocument): Promise<Provider> {
  const keys = await findKeys(context, payment.institution, payment.provider);
  if (!keys) throw new ForeignKeys('the payment provider has no keys');
  if (keys.mode !== payment.mode) throw new ForeignKeys('the keys of the payment provider are of another mode');
  return connectWith(context, keys);
}

/** What was asked for is in another account, or in none any more. */
export function isForeign(error: unknown): boolean {
  return error instanceof ForeignKeys || (error instanceof ProviderFault && error.refusal === 'not_found');
}

const HOUR_MS = 60 * 60_000;

/**
 * What follows where the provider cannot be asked whether a payment or a refund that is over has changed: nothing where
 * its account is not known any more, else another look in an hour. @throws the error of anybody else
 */
export function planOfOver({ log, now }: PaymentsContext, error: unknown, about: LogFields): WorkResult {
  if (isForeign(error)) {
    log.warn('a payment or a refund is of an account without keys here: its changes are not seen', about);
    return 'done';
  }
  if (error instanceof ProviderFault && error.refusal === 'keys') return { again: now() + HOUR_MS };
  throw error;
}

export function hasSameSecret({ keyBox }: PaymentsContext, one: ProviderDocument, other: ProviderDocument): boolean {
  const [secret, another] = [one, other].map(({ id, secretKey }) => keyBox.open(id, 'secretKey', secretKey));
  return secret !== undefined && secret === another;
}

/** Replaces the record; other keys must lead to the same account while anything is pending. */
export async function setKeys(
  context: PaymentsContext,
  institution: string,
  provider: ProviderName,
  given: NewKeys,
  check: Check = () => undefined,
): Promise<ProviderDocument> {
  const { providers, keyBox } = context;
  const id = deriveProviderId(institution, provider);
  const { secretKey, webhookSecret, methods = ['card'], state = 'active' } = given;
  const mode = readMode(secretKey);
  const stored = await readRecord(context, institution, provider);
  check(stored);
  const isKnown = stored?.mode != null && keyBox.open(id, 'secretKey', stored.secretKey) === secretKey;
  if (mode === 'simulated' && !context.maySimulate() && !(isKnown && state === 'paused'))
    throw createWrongKeysFault('names the simulator, which PAYMENT_SIMULATOR does not switch on here');
  if (!isKnown) await requireSameAccount(context, institution, secretKey);
  const next = {
    id,
    provider,
    mode,
    secretKey: keyBox.seal(id, 'secretKey', secretKey),
    webhookSecret: webhookSecret === undefined ? null : keyBox.seal(id, 'webhookSecret', webhookSecret),
    methods,
    state,
    updatedAt: new Date(context.now()).toISOString(),
  };
  const written = await write(providers.of(institution), next, { now: context.now(), check });
  await announceOrLater(context, written);
  return written;
}

/** @throws Fault `payment_provider_in_use` */
export async function deleteKeys(
  context: PaymentsContext,
  institution: string,
  provider: ProviderName,
): Promise<ProviderDocument | undefined> {
  const current = await findKeys(context, institution, provider);
  if (!current) return undefined;
  if ((await findPendingPage(context, institution)) !== undefined)
    throw createInUseFault('payments or refunds of it are pending; pause it, and delete it once they are final');
  const { id } = current;
  const updatedAt = new Date(context.now()).toISOString();
  const none = { id, provider, mode: null, secretKey: null, webhookSecret: null, methods: [], state: null, updatedAt };
  const stored = await write(context.providers.of(institution), none, { now: context.now() });
  await announceOrLater(context, stored);
  return stored;
}

/** So that points of sale can name it; repeated by the due work, also where this fails. */
const announceOrLater = (context: PaymentsContext, keys: ProviderDocument): Promise<void> =>
  context.catalog
    .recordPaymentProvider(keys.institution, keys)
    .catch((error: unknown) =>
      context.log.warn('a payment provider could not be announced yet', { institution: keys.institution, error }),
    );

const write = async (
  providers: Documents<ProviderDocument>,
  next: New<ProviderDocument>,
  { now, check = () => undefined }: { readonly now: number; readonly check?: Check },
): Promise<ProviderDocument> => {
  const due = { announce: now + BY_ITSELF_MS };
  const change = () =>
    providers.update(next.id, (current) => {
      check(current);
      return { next, due };
    });
  const stored = (await change()) ?? (await insertUnlessTaken(providers, next, { due })) ?? (await change());
  if (!stored) throw new Error('the keys are neither there nor not there');
  return stored;
};

/** The newest that is pending, or whose refund is; `opening`: only one whose request is under way. */
const findPendingPage = async (
  { payments, refunds, now }: PaymentsContext,
  institution: string,
): Promise<PaymentDocument | 'opening' | undefined> => {
  const newest = { orderBy: 'createdAt', descending: true, limit: 1 } as const;
  const [pending] = await payments.of(institution).find({ where: { state: 'pending' }, ...newest });
  if (pending) return pending;
  const [refund] = await refunds.of(institution).find({ where: { state: 'pending' }, ...newest });
  const refunded = refund && (await payments.of(institution).get(refund.paymentId));
  if (refunded) return refunded;
  const [opening] = await payments.of(institution).find({ where: { state: 'opening' }, ...newest });
  return opening && isUnderWay(opening, now()) ? 'opening' : undefined;
};

/** @throws Fault for keys of another account while something is pending, for refused ones, and without an answer */
const requireSameAccount = async (context: PaymentsContext, institution: string, secretKey: string): Promise<void> => {
  const pending = await findPendingPage(context, institution);
  if (pending === 'opening') throw createOpeningFault();
  await requireAccepted(await context.connect(institution, secretKey), pending, readMode(secretKey));
  // While the provider was asked another page may have been asked for, with the keys that are still stored.
  const next = await findPendingPage(context, institution);
  if (next === 'opening' || (next && !pending)) throw createOpeningFault();
};

const requireAccepted = async (provider: Provider, pending: PaymentDocument | undefined, mode: Mode): Promise<void> => {
  if (pending && pending.mode !== mode) throw createInUseFault('its keys are of another mode');
  try {
    const reference = pending?.reference ?? null;
    const [page] = await Promise.all([
      provider.readPage(reference),
      reference === null ? undefined : provider.readPage(null),
    ]);
    if (page && page.isLive !== (pending?.mode === 'live')) throw createInUseFault('its keys are of another mode');
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error;
    if (error.refusal === 'not_found') throw createInUseFault('its keys are of another account');
    if (error.refusal === 'keys' || error.refusal === 'refused')
      throw createWrongKeysFault(
        `is refused by the provider (${error.call}): a restricted key needs to write Checkout Sessions, Charges and ` +
          'Refunds, and to read PaymentIntents and Disputes',
      );
    throw new Fault('service_unavailable', 'The payment provider does not answer at the moment.', {
      'Retry-After': '5',
    });
  }
};

const createOpeningFault = (): Fault =>
  createInUseFault('a page is being opened; repeat it, or pause the provider first and repeat it in a minute');

const createWrongKeysFault = (reason: string): Fault => new Fault('semantically_invalid', `$.secretKey ${reason}.`);

const createInUseFault = (reason: string): Fault =>
  new Fault('payment_provider_in_use', `The payment provider is in use: ${reason}.`);
