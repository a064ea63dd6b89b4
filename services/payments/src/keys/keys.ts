import { Fault } from '@boxoffice/envelope';
import { deriveId } from '@boxoffice/runtime';
import { type Documents, type New, UniqueViolation } from '@boxoffice/store';
import type { Static } from 'typebox';
import { announceOrLater } from '../announce.ts';
import type { PaymentsContext } from '../context.ts';
import { readMode } from '../domain/keys.ts';
import { type Provider, ProviderFault } from '../provider/port.ts';
import type { PaymentDocument, ProviderDocument } from '../store.ts';
import type { ProviderKeys } from './schemas.ts';

type NewKeys = Static<typeof ProviderKeys>;

/** The only one so far; another one is another file beside `provider/stripe.ts`. */
export const PROVIDERS: readonly string[] = ['stripe'];

export function deriveProviderId(institution: string, provider: string): string {
  return deriveId('prv', institution, provider);
}

/** Undefined where the institution has no keys of the provider. */
export async function findKeys(
  { providers }: Pick<PaymentsContext, 'providers'>,
  institution: string,
  provider: string,
): Promise<ProviderDocument | undefined> {
  const found = await providers.of(institution).get(deriveProviderId(institution, provider));
  return found?.mode == null ? undefined : found;
}

/** Replaces the record; other keys must lead to the same account while anything is pending. */
export async function setKeys(
  context: PaymentsContext,
  institution: string,
  provider: string,
  given: NewKeys,
): Promise<ProviderDocument> {
  const { providers, keyBox } = context;
  const id = deriveProviderId(institution, provider);
  const { secretKey, webhookSecret, methods = ['card'], state = 'active' } = given;
  const mode = readMode(secretKey);
  if (mode === 'simulated' && !context.maySimulate())
    throw createWrongKeysFault('names the simulator, which PAYMENT_SIMULATOR does not switch on here');
  const current = await findKeys(context, institution, provider);
  if (!current || keyBox.open(id, 'secretKey', current.secretKey) !== secretKey)
    await requireSameAccount(context, institution, secretKey);
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
  const stored = await write(providers.of(institution), next, context.now());
  await announceOrLater(context, stored);
  return stored;
}

/** @throws Fault `payment_provider_in_use` */
export async function deleteKeys(
  context: PaymentsContext,
  institution: string,
  provider: string,
): Promise<ProviderDocument | undefined> {
  const current = await findKeys(context, institution, provider);
  if (!current) return undefined;
  if ((await findPendingPage(context, institution)) !== undefined)
    throw createInUseFault('payments or refunds of it are pending; pause it, and delete it once they are final');
  const { id } = current;
  const updatedAt = new Date(context.now()).toISOString();
  const none = { id, provider, mode: null, secretKey: null, webhookSecret: null, methods: [], state: null, updatedAt };
  const stored = await write(context.providers.of(institution), none, context.now());
  await announceOrLater(context, stored);
  return stored;
}

const write = async (
  providers: Documents<ProviderDocument>,
  next: New<ProviderDocument>,
  now: number,
): Promise<ProviderDocument> => {
  const due = { announce: now + ANNOUNCED_BY_ITSELF_MS };
  const change = () => providers.update(next.id, () => ({ next, due }));
  const insert = async () => {
    try {
      return await providers.insert(next, { due });
    } catch (error) {
      if (error instanceof UniqueViolation) return undefined;
      throw error;
    }
  };
  const stored = (await change()) ?? (await insert()) ?? (await change());
  if (!stored) throw new Error('the keys are neither there nor not there');
  return stored;
};

/** The request announces them itself. */
const ANNOUNCED_BY_ITSELF_MS = 10_000;

/** The newest that is pending, or whose refund is; undefined: nothing is pending. */
const findPendingPage = async (
  { payments, refunds }: PaymentsContext,
  institution: string,
): Promise<PaymentDocument | 'opening' | undefined> => {
  const newest = { orderBy: 'createdAt', descending: true, limit: 1 } as const;
  const [pending] = await payments.of(institution).find({ where: { state: 'pending' }, ...newest });
  if (pending) return pending;
  const [refund] = await refunds.of(institution).find({ where: { state: 'pending' }, ...newest });
  const refunded = refund && (await payments.of(institution).get(refund.paymentId));
  if (refunded) return refunded;
  const [opening] = await payments.of(institution).find({ where: { state: 'opening' }, ...newest });
  return opening && 'opening';
};

/** @throws Fault for keys of another account while something is pending, for refused ones, and without an answer */
const requireSameAccount = async (context: PaymentsContext, institution: string, secretKey: string): Promise<void> => {
  const found = await findPendingPage(context, institution);
  const pending = found === 'opening' ? undefined : found;
  if (pending && pending.mode !== readMode(secretKey)) throw createInUseFault('its keys are of another mode');
  const provider: Provider = context.connect(institution, secretKey);
  try {
    const page = await provider.readPage(pending?.reference ?? null);
    if (page && page.isLive !== (pending?.mode === 'live')) throw createInUseFault('its keys are of another mode');
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error;
    if (error.refusal === 'not_found') throw createInUseFault('its keys are of another account');
    if (error.refusal === 'keys' || error.refusal === 'refused')
      throw createWrongKeysFault('is refused by the provider: a restricted key needs to write Checkout Sessions');
    throw new Fault('service_unavailable', 'The payment provider does not answer at the moment.', {
      'Retry-After': '5',
    });
  }
};

const createWrongKeysFault = (reason: string): Fault => new Fault('semantically_invalid', `$.secretKey ${reason}.`);

const createInUseFault = (reason: string): Fault =>
  new Fault('payment_provider_in_use', `The payment provider is in use: ${reason}.`);
