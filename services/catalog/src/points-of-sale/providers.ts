import { insertUnlessTaken } from '@boxoffice/store';
import { type Context, readTimestamp } from '../context.ts';
import type { PaymentProvider, ProviderKeys } from '../domain/point-of-sale.ts';
import type { Collections, PaymentProviderDocument } from '../store.ts';

/** `changedAt`: when the keys changed, of which reports may come late or twice; absent: now. */
export interface ProviderReport extends Pick<ProviderKeys, 'mode' | 'state'> {
  readonly changedAt?: string;
}

/** Keeps what the newest report says, also that there are no keys any more: an older one changes nothing. */
export async function recordProvider(
  context: Context,
  provider: PaymentProvider,
  report: ProviderReport,
): Promise<PaymentProviderDocument> {
  const { institution, paymentProviders } = context.collections;
  const id = `${institution}:${provider}`;
  const { mode, state, changedAt = readTimestamp(context) } = report;
  const said = { provider, mode, state, changedAt };
  const update = () =>
    paymentProviders.update(id, (current) =>
      current.changedAt > changedAt ? undefined : { next: { ...current, ...said } },
    );
  const written = (await update()) ?? (await insertUnlessTaken(paymentProviders, { id, ...said })) ?? (await update());
  if (!written) throw new Error(`the record of ${id} is neither there nor not there`);
  return written;
}

/** Those that the institution has keys of. */
export async function listProviders({ paymentProviders }: Collections): Promise<PaymentProviderDocument[]> {
  return (await paymentProviders.find()).filter(({ mode }) => mode !== null);
}
