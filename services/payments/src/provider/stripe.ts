import Stripe from 'stripe';
import type { ProviderAmount } from '../domain/amount.ts';
import type { Dispute, PageState } from '../domain/payment.ts';
import { type Hint, type Provider, ProviderFault, type Refusal } from './port.ts';

/** That of the library's types. */
const API_VERSION = '2026-10-28.endive';

/** For a whole request. Milliseconds. */
const TIMEOUT_MS = 10_000;

const TOLERANCE_SECONDS = 300;

/** Whose pages Checkout shows (https://docs.stripe.com/js/appendix/supported_locales); others get the browser's. */
const LOCALES: ReadonlySet<string> = new Set(
  (
    'bg cs da de el en en-GB es es-419 et fi fil fr fr-CA hr hu id it ja ko lt lv ms mt nb nl pl pt pt-BR ro ru sk ' +
    'sl sv th tr vi zh zh-HK zh-TW'
  ).split(' '),
);

const CHARGE = ['payment_intent.latest_charge'];

export interface StripeOptions {
  /** The simulator's, for its keys; default: Node's HTTP. */
  readonly fetch?: typeof fetch;
  /** Of a test server; default: Stripe's own. */
  readonly address?: { readonly host: string; readonly port: number; readonly protocol: 'http' | 'https' };
  /** Called after each request, with milliseconds; `refusal` is null where it succeeded. */
  readonly onAnswered?: (call: string, ms: number, refusal: Refusal | null) => void;
}

/** Stripe Checkout (https://docs.stripe.com/payments/checkout), as far as the port needs it. */
export function createStripe(secretKey: string, { fetch, address, onAnswered }: StripeOptions = {}): Provider {
  const stripe = new Stripe(secretKey, {
    apiVersion: API_VERSION,
    // Repeats are the service's own, with what it has stored.
    maxNetworkRetries: 0,
    timeout: TIMEOUT_MS,
    telemetry: false,
    ...address,
    ...(fetch && { httpClient: Stripe.createFetchHttpClient(fetch) }),
  });

  const call = async <Answer>(name: string, send: () => Promise<Answer>): Promise<Answer> => {
    const sentAt = performance.now();
    const report = (refusal: Refusal | null) => onAnswered?.(name, performance.now() - sentAt, refusal);
    try {
      const answer = await send();
      report(null);
      return answer;
    } catch (error) {
      const fault = toFault(error, name);
      report(fault.refusal);
      throw fault;
    }
  };

  const readDispute = async (intent: Stripe.PaymentIntent): Promise<Dispute | null> => {
    const { latest_charge: charge } = intent;
    if (charge === null || typeof charge === 'string' || !charge.disputed) return null;
    const { data } = await call('listDisputes', () => stripe.disputes.list({ payment_intent: intent.id, limit: 100 }));
    return toDispute(data, intent);
  };

  return {
    async openPage(request, email, idempotencyKey) {
      const names = {
        boxoffice_institution: request.institution,
        boxoffice_order: request.orderId,
        boxoffice_payment: request.paymentId,
      };
      const item = {
        quantity: 1,
        price_data: {
          currency: request.currency.toLowerCase(),
          unit_amount: request.amount,
          product_data: { name: request.number },
        },
      };
      const params: Stripe.Checkout.SessionCreateParams = {
        mode: 'payment',
        line_items: [item],
        allowed_payment_method_types: [...request.methods],
        adaptive_pricing: { enabled: false },
        allow_promotion_codes: false,
        automatic_tax: { enabled: false },
        client_reference_id: request.paymentId,
        metadata: names,
        payment_intent_data: { description: request.number, metadata: names },
        ...(email !== null && { customer_email: email }),
        ...(request.language !== null && { locale: toLocale(request.language) }),
        expires_at: request.endsAtSeconds,
        success_url: request.returnUrl,
        cancel_url: request.returnUrl,
      };
      const session = await call('openPage', () => stripe.checkout.sessions.create(params, { idempotencyKey }));
      if (session.url === null) throw new ProviderFault('refused', 'no_url');
      return { reference: session.id, url: session.url };
    },
    async readPage(reference) {
      if (reference === null) {
        const one = { limit: 1 };
        const expand = CHARGE.map((path) => `data.${path}`);
        await Promise.all([
          call('listPages', () => stripe.checkout.sessions.list({ ...one, expand })),
          call('listRefunds', () => stripe.refunds.list(one)),
          call('listDisputes', () => stripe.disputes.list(one)),
        ]);
        return null;
      }
      const session = await call('readPage', () => stripe.checkout.sessions.retrieve(reference, { expand: CHARGE }));
      const intent = typeof session.payment_intent === 'string' ? null : session.payment_intent;
      const charge = typeof session.payment_intent === 'string' ? session.payment_intent : (intent?.id ?? null);
      return {
        reference: session.id,
        state: toPageState(session, intent),
        total: readTotal(session, intent),
        isLive: session.livemode,
        charge,
        dispute: intent && (await readDispute(intent)),
      };
    },
    async closePage(reference) {
      await call('closePage', () => stripe.checkout.sessions.expire(reference));
    },
    async refund({ charge, amount, refundId, paymentId, orderId, institution }, idempotencyKey) {
      const metadata = {
        boxoffice_institution: institution,
        boxoffice_order: orderId,
        boxoffice_payment: paymentId,
        boxoffice_refund: refundId,
      };
      const params = { payment_intent: charge, amount, metadata };
      return toRefund(await call('refund', () => stripe.refunds.create(params, { idempotencyKey })));
    },
    async listRefunds(charge) {
      const list = async () => {
        const all: Stripe.Refund[] = [];
        for await (const one of stripe.refunds.list({ payment_intent: charge, limit: 100 })) all.push(one);
        return all;
      };
      return (await call('listRefunds', list)).map(toRefund);
    },
    verifyWebhook(body, signature, secret, now) {
      // The library refuses only what is too old.
      const isAhead = [...signature.matchAll(/(?:^|,)t=(\d+)/g)].some(
        ([, seconds]) => Number(seconds) - now / 1_000 > TOLERANCE_SECONDS,
      );
      if (isAhead) return undefined;
      try {
        return toHint(stripe.webhooks.constructEvent(body, signature, secret, TOLERANCE_SECONDS, undefined, now));
      } catch (error) {
        if (error instanceof Stripe.errors.StripeSignatureVerificationError) return undefined;
        // Signed, and of a form that the library does not read: it concerns nothing here.
        return null;
      }
    },
  };
}

const toLocale = (language: string): Stripe.Checkout.SessionCreateParams.Locale => {
  const primary = language.split('-', 1)[0] ?? '';
  return [language, primary].find((tag) => LOCALES.has(tag)) ?? 'auto';
};

const toAmount = (amount: number, currency: string): ProviderAmount => ({ amount, currency: currency.toUpperCase() });

/** What came, where something came; before that what the page asks for. */
const readTotal = (session: Stripe.Checkout.Session, intent: Stripe.PaymentIntent | null): ProviderAmount =>
  intent !== null && intent.amount_received > 0
    ? toAmount(intent.amount_received, intent.currency)
    : toAmount(session.amount_total ?? 0, session.currency ?? '');

const toPageState = (session: Stripe.Checkout.Session, intent: Stripe.PaymentIntent | null): PageState => {
  if (session.status === 'expired') return 'expired';
  if (session.status !== 'complete') return 'open';
  if (session.payment_status === 'paid') return 'paid';
  return intent?.status === 'requires_payment_method' || intent?.status === 'canceled' ? 'failed' : 'unpaid';
};

/** Nothing was taken back: an inquiry, or one that the provider has prevented. */
const isDispute = ({ status }: Stripe.Dispute): boolean => !status.startsWith('warning_') && status !== 'prevented';

const toDisputeState = ({ status }: Stripe.Dispute): Dispute['state'] => {
  if (status === 'won') return 'won';
  return status === 'lost' ? 'lost' : 'open';
};

/** An open one, else the newest: what is lost stays lost beside it. */
const toDispute = (all: readonly Stripe.Dispute[], { currency, amount_received }: Stripe.PaymentIntent) => {
  const disputes = all
    .filter(isDispute)
    .toSorted((one, other) => other.created - one.created)
    .map((one) => {
      const isConverted = one.currency !== currency;
      const { amount } = isConverted ? { amount: amount_received } : one;
      return { ...toAmount(amount, currency), state: toDisputeState(one), reason: one.reason, isConverted };
    });
  const shown = disputes.find(({ state }) => state === 'open') ?? disputes[0];
  const lost = disputes.filter(({ state }) => state === 'lost').reduce((sum, { amount }) => sum + amount, 0);
  return shown ? { ...shown, lost } : null;
};

const REFUND_STATES: Readonly<Record<string, 'pending' | 'done' | 'failed'>> = {
  pending: 'pending',
  requires_action: 'pending',
  succeeded: 'done',
  failed: 'failed',
  canceled: 'failed',
};

const toRefund = ({ id, metadata, status }: Stripe.Refund) => ({
  reference: id,
  refundId: metadata?.boxoffice_refund ?? null,
  status: REFUND_STATES[status ?? 'pending'] ?? 'pending',
});

/** Only the names of what it is about: the rest is read from the provider. */
const toHint = ({ type, data }: Stripe.Event): Hint | null => {
  const object = data.object as { readonly id?: string; readonly payment_intent?: string | { readonly id: string } };
  const { payment_intent: intent = null } = object;
  const charge = typeof intent === 'string' ? intent : (intent?.id ?? null);
  if (type.startsWith('checkout.session.')) return { kind: type, page: object.id ?? null, charge };
  if (type.startsWith('payment_intent.')) return { kind: type, page: null, charge: object.id ?? null };
  return /^(?:refund|charge)\./.test(type) ? { kind: type, page: null, charge } : null;
};

const toFault = (error: unknown, call: string): ProviderFault => {
  if (!(error instanceof Stripe.errors.StripeError)) return new ProviderFault('unanswered', null, call);
  const { code = null, statusCode } = error;
  return new ProviderFault(toRefusal(error, statusCode, code), code, call);
};

const toRefusal = (error: Stripe.errors.StripeError, status: number | undefined, code: string | null): Refusal => {
  if (status === undefined) return 'unanswered';
  if (status === 429 || status === 409 || error instanceof Stripe.errors.StripeRateLimitError) return 'busy';
  if (status >= 500) return 'broken';
  if (status === 401 || status === 403) return 'keys';
  if (error instanceof Stripe.errors.StripeIdempotencyError) return 'key_reused';
  if (status === 404 || code === 'resource_missing') return 'not_found';
  if (code === 'balance_insufficient') return 'insufficient';
  return code === 'amount_too_small' ? 'amount_too_small' : 'refused';
};
