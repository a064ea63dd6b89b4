import type { Retentions } from '@boxoffice/service';
import { collection, type Document, type Store } from '@boxoffice/store';
import type { Mode, ProviderName } from './domain/keys.ts';
import type { Payment } from './domain/payment.ts';
import type { Refund } from './domain/refund.ts';
import { simulatedSessionsCollection } from './simulator/store.ts';

/** The keys of an institution at a provider; the id follows from both. Without keys once they are deleted. */
export interface ProviderDocument extends Document {
  readonly provider: ProviderName;
  readonly mode: Mode | null;
  /** Encrypted under KEY_ENCRYPTION_KEY. */
  readonly secretKey: string | null;
  readonly webhookSecret: string | null;
  readonly methods: readonly string[];
  readonly state: 'active' | 'paused' | null;
  /** ISO 8601 UTC. */
  readonly updatedAt: string;
}

export interface PaymentDocument extends Payment, Document {}

export interface RefundDocument extends Refund, Document {}

export const providersCollection = collection<ProviderDocument>('payment_providers', [], { work: ['announce'] });

export const paymentsCollection = collection<PaymentDocument>(
  'payments',
  [
    { name: 'order', fields: ['orderId', 'createdAt'] },
    { name: 'reference', fields: ['reference'], unique: true },
    { name: 'charge', fields: ['charge'] },
    { name: 'state', fields: ['state', 'createdAt'] },
    { name: 'pending', fields: ['state', 'endsAt'], acrossInstitutions: true },
    { name: 'unacknowledged', fields: ['mismatch.acknowledgedAt', 'mismatch.at'], acrossInstitutions: true },
    { name: 'abandoned', fields: ['abandonedAt'], acrossInstitutions: true },
  ],
  { work: ['ask', 'close'] },
);

export const refundsCollection = collection<RefundDocument>(
  'refunds',
  [
    { name: 'payment', fields: ['paymentId', 'createdAt'] },
    { name: 'state', fields: ['state', 'createdAt'] },
    { name: 'pending', fields: ['state', 'createdAt'], acrossInstitutions: true },
  ],
  { work: ['refund'] },
);

export const collections = [providersCollection, paymentsCollection, refundsCollection, simulatedSessionsCollection];

const DAY_MS = 24 * 60 * 60_000;

export const retention: Retentions = {
  payment_providers: { retained: 'for good; once they are deleted without keys' },
  payments: {
    retained: 'for good; of pages that never opened a day (`DAY_MS`)',
    ends: [{ field: 'abandonedAt', afterMs: DAY_MS }],
  },
  refunds: { retained: 'for good' },
  simulated_sessions: { retained: 'for good; without data of the buyer' },
};

export function openCollections(store: Store) {
  return {
    providers: store.collection(providersCollection),
    payments: store.collection(paymentsCollection),
    refunds: store.collection(refundsCollection),
  };
}
