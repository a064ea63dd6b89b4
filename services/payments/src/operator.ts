import { Fault } from '@boxoffice/envelope';
import { createCheck } from '@boxoffice/http';
import type { Logger } from '@boxoffice/runtime';
import type { Store } from '@boxoffice/store';
import { createContext, type PaymentsContext } from './context.ts';
import { deleteKeys, requireProvider, setKeys } from './keys/keys.ts';
import { buildWebhookUrl, toProviderView } from './keys/routes.ts';
import { ProviderKeys } from './keys/schemas.ts';
import { createSimulatedFetch } from './simulator/api.ts';
import { openCollections, type PaymentDocument, type ProviderDocument } from './store.ts';

export type PaymentProviderSummary = ReturnType<typeof toProviderView> & { readonly institution: string };

interface OperatorOptions {
  readonly store: Store;
  readonly keyEncryptionKey: string;
  readonly publicUrl: string;
  readonly maySimulate: boolean;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
}

const checkKeys = createCheck(ProviderKeys);

/** What the operations of the institution API do, for who has access to the store. */
export function createProviderOperator(options: OperatorOptions) {
  const { store, publicUrl } = options;
  const context = openContext(options);
  const show = (keys: ProviderDocument): PaymentProviderSummary => ({
    institution: keys.institution,
    ...toProviderView(keys.provider, keys, buildWebhookUrl(publicUrl, keys.provider, keys.institution)),
  });
  return {
    async list(institution: string): Promise<PaymentProviderSummary[]> {
      const found = await openCollections(store).providers.of(institution).find({ orderBy: 'id' });
      return found.filter(({ mode }) => mode !== null).map(show);
    },
    /** @throws {Fault} as `PUT /svc/v3/payment-providers/{provider}` */
    async set(institution: string, provider: string, given: unknown): Promise<PaymentProviderSummary> {
      const known = requireProvider(provider);
      checkKeys(given as never);
      return show(await setKeys(context, institution, known, given as Parameters<typeof setKeys>[3]));
    },
    /** @throws {Fault} as `DELETE /svc/v3/payment-providers/{provider}` */
    async remove(institution: string, provider: string): Promise<void> {
      if (!(await deleteKeys(context, institution, requireProvider(provider))))
        throw new Fault('not_found', `${institution} has no keys of ${provider}.`);
    },
  };
}

/** The running service tells catalog and orders, from the work that is due. */
const leaveToService = (): Promise<never> =>
  Promise.reject(new Fault('service_unavailable', 'The running service does it.'));

const openContext = ({ store, keyEncryptionKey, publicUrl, maySimulate, logger }: OperatorOptions): PaymentsContext => {
  const settings = { keyEncryptionKey, paymentGraceSeconds: 0, paymentSimulator: maySimulate };
  return createContext(
    { store, publicUrl, logger, settings },
    {
      orders: { reportPayment: leaveToService, reportDispute: leaveToService, reportRefund: leaveToService },
      catalog: { recordPaymentProvider: leaveToService },
      simulate: (institution) =>
        createSimulatedFetch({ store, institution, toPageUrl: () => publicUrl, now: Date.now }),
    },
  );
};

/** Money of another amount or currency of which somebody has taken note. @throws {Fault} not_found */
export async function acknowledgeMismatch(store: Store, session: string): Promise<PaymentDocument> {
  const { payments } = openCollections(store);
  const open = { 'mismatch.acknowledgedAt': null, 'mismatch.at': { gt: '' } };
  const found = await payments.acrossInstitutions.find({ where: open, index: 'unacknowledged' });
  const payment = found.find(({ reference }) => reference === session);
  const acknowledged =
    payment &&
    (await payments.of(payment.institution).update(payment.id, (current) => {
      if (!current.mismatch || current.mismatch.acknowledgedAt !== null) return undefined;
      const acknowledgedAt = new Date().toISOString();
      return { next: { ...current, mismatch: { ...current.mismatch, acknowledgedAt } } };
    }));
  if (acknowledged) return acknowledged;
  throw new Fault('not_found', `No payment of the session ${session} waits to be acknowledged.`);
}
