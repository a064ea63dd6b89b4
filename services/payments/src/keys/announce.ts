import type { WorkResult } from '@boxoffice/service';
import type { PaymentsContext } from '../context.ts';
import type { ProviderDocument } from '../store.ts';

/** So that points of sale can name it. The request does it itself; what fails is done by the due work. */
export async function announceOrLater(context: PaymentsContext, keys: ProviderDocument): Promise<void> {
  try {
    await context.catalog.recordPaymentProvider(keys.institution, keys);
    const { providers } = context;
    // What another write has made due meanwhile stays.
    const due = keys.due?.announce;
    if (due) await providers.acrossInstitutions.moveDue(keys.id, 'announce', due, null);
  } catch (error) {
    context.log.warn('a payment provider could not be announced yet', { institution: keys.institution, error });
  }
}

export async function announceProvider(context: PaymentsContext, keys: ProviderDocument): Promise<WorkResult> {
  await context.catalog.recordPaymentProvider(keys.institution, keys);
  return 'done';
}
