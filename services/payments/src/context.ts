import {
  declareInstallationSecret,
  flag,
  integer,
  type Logger,
  type Metrics,
  type Setting,
  SettingsFault,
  url,
} from '@boxoffice/runtime';
import type { Parts } from '@boxoffice/service';
import type { Catalog, Orders } from './clients/services.ts';
import { createKeyBox, type KeyBox } from './keys/box.ts';
import { createPaymentsMetrics, type PaymentsMetrics } from './metrics.ts';
import type { Provider } from './provider/port.ts';
import { openCollections, type ProviderDocument } from './store.ts';

const given = flag('PAYMENT_SIMULATOR', { optional: true });
const demoData = flag('BOXOFFICE_DEMO', { default: false });

/** Whether keys of the simulator are taken; if unset, while BOXOFFICE_DEMO is on. */
const paymentSimulator: Setting<boolean> = {
  name: given.name,
  read(env) {
    const said = given.read(env);
    if (said !== undefined) return said;
    try {
      return demoData.read(env);
    } catch (error) {
      throw new SettingsFault([`${demoData.name}: ${(error as Error).message}`]);
    }
  },
};

export const settings = {
  keyEncryptionKey: declareInstallationSecret('KEY_ENCRYPTION_KEY'),
  /** For which a payment may stay pending after the hold would have ended; of a page at least 32 minutes. */
  paymentGraceSeconds: integer('PAYMENT_GRACE_SECONDS', { default: 900, min: 0 }),
  paymentSimulator,
  catalogUrl: url('CATALOG_URL', { origin: true }),
  ordersUrl: url('ORDERS_URL', { origin: true }),
};

/** By then who makes work due has done it: longer than a report to orders, which sells first. Milliseconds. */
export const BY_ITSELF_MS = 10_000;

export interface PaymentsContext extends ReturnType<typeof openCollections> {
  readonly orders: Orders;
  readonly catalog: Catalog;
  readonly keyBox: KeyBox;
  readonly publicUrl: string;
  readonly graceMs: number;
  maySimulate(): boolean;
  /** The provider's library is loaded with the first keys that are used. */
  connect(institution: string, secretKey: string): Promise<Provider>;
  readonly metrics: PaymentsMetrics;
  readonly log: Pick<Logger, 'warn' | 'error'>;
  readonly now: () => number;
}

type Needed = Pick<Parts<typeof settings>, 'store' | 'publicUrl'> & {
  readonly settings: Pick<
    Parts<typeof settings>['settings'],
    'keyEncryptionKey' | 'paymentGraceSeconds' | 'paymentSimulator'
  >;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
  readonly metrics?: Metrics | undefined;
};

export interface Outside {
  readonly orders: Orders;
  readonly catalog: Catalog;
  readonly simulate: (institution: string) => typeof fetch;
  /** What others lead to; default: Node's HTTP. */
  readonly fetch?: typeof fetch;
  readonly now?: () => number;
}

export function createContext(
  { store, logger, settings: own, publicUrl, metrics: registry }: Needed,
  { orders, catalog, simulate, fetch, now = Date.now }: Outside,
): PaymentsContext {
  const collections = openCollections(store);
  const metrics = createPaymentsMetrics(registry, collections, now);
  return {
    ...collections,
    orders,
    catalog,
    keyBox: createKeyBox(own.keyEncryptionKey),
    publicUrl,
    graceMs: own.paymentGraceSeconds * 1_000,
    // Read at each use: with demo data it is on once that is made.
    maySimulate: () => own.paymentSimulator,
    async connect(institution, secretKey) {
      const { createStripe } = await import('./provider/stripe.ts');
      return createStripe(secretKey, {
        fetch: /^.k_simulated_/.test(secretKey) ? simulate(institution) : fetch,
        onAnswered: metrics.onAnswered,
      });
    },
    metrics,
    log: logger,
    now,
  };
}

/** @throws Error where they were encrypted under another KEY_ENCRYPTION_KEY */
export async function connectWith(context: PaymentsContext, keys: ProviderDocument): Promise<Provider> {
  const secretKey = context.keyBox.open(keys.id, 'secretKey', keys.secretKey);
  if (secretKey === undefined)
    throw new Error('the keys of a payment provider were encrypted under another KEY_ENCRYPTION_KEY: set them again');
  return context.connect(keys.institution, secretKey);
}
