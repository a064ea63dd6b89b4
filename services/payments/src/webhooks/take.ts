import { connectWith, type PaymentsContext } from '../context.ts';
import { findKeys } from '../keys/keys.ts';
import type { Hint } from '../provider/port.ts';
import type { PaymentDocument, ProviderDocument } from '../store.ts';

/** False unless its signature is right and of now. Else what it hints at is due when this resolves. */
export async function takeWebhook(
  context: PaymentsContext,
  institution: string,
  body: Buffer,
  signature: string,
): Promise<boolean> {
  const keys = await findKeys(context, institution, 'stripe');
  const secret = keys && openSecret(context, keys);
  const hint =
    keys && secret !== undefined
      ? (await connectWith(context, keys)).verifyWebhook(body, signature, secret, context.now())
      : undefined;
  if (hint === undefined) {
    context.metrics.countWebhook('refused');
    return false;
  }
  const payment = hint && (await findPayment(context, institution, hint));
  if (payment) await makeDue(context, payment);
  context.metrics.countWebhook(payment ? 'taken' : 'ignored');
  return true;
}

export async function readWebhookSecret(context: PaymentsContext, institution: string): Promise<string | undefined> {
  const keys = await findKeys(context, institution, 'stripe');
  return keys && openSecret(context, keys);
}

const openSecret = ({ keyBox }: PaymentsContext, { id, webhookSecret }: ProviderDocument): string | undefined =>
  keyBox.open(id, 'webhookSecret', webhookSecret);

const findPayment = async (
  { payments }: PaymentsContext,
  institution: string,
  { page, charge }: Hint,
): Promise<PaymentDocument | undefined> => {
  const find = async (where: { readonly reference: string } | { readonly charge: string }) =>
    (await payments.of(institution).find({ where, limit: 1 }))[0];
  return (
    (page === null ? undefined : await find({ reference: page })) ?? (charge === null ? undefined : find({ charge }))
  );
};

const makeDue = async ({ payments, refunds, now }: PaymentsContext, { institution, id, state }: PaymentDocument) => {
  const at = now();
  await payments.of(institution).update(id, (next) => ({ next, due: { ask: at } }));
  if (state === 'pending') return;
  const found = await refunds.of(institution).find({ where: { paymentId: id }, orderBy: 'createdAt', limit: 500 });
  for (const refund of found.filter((one) => one.state !== 'failed'))
    await refunds.of(institution).update(refund.id, (next) => ({ next, due: { refund: at } }));
};
