import { type AnyOperation, ok, operation, pathId } from '@boxoffice/http';
import type { Static } from 'typebox';
import type { PaymentsContext } from '../context.ts';
import type { ProviderDocument } from '../store.ts';
import { deleteKeys, readRecord, requireProvider, setKeys } from './keys.ts';
import { exampleProvider, PaymentProvider, ProviderKeys, readOnly } from './schemas.ts';

const PROVIDER = '/svc/v3/payment-providers/{provider}';

const params = { provider: pathId };
const exampleParams = { provider: 'stripe' };

const ON_KEYS =
  'Its keys are encrypted at rest and never answered. Points of sale that name it among their `paymentMethods` take ' +
  'payments on its hosted pages.';

export function createKeysRoutes(context: PaymentsContext): AnyOperation[] {
  const toEtag = (keys: ProviderDocument | undefined) => ({ etag: String(keys?.version ?? 0) });
  const show = (institution: string, provider: string, keys: ProviderDocument | undefined) =>
    toProviderView(provider, keys, buildWebhookUrl(context.publicUrl, provider, institution));

  return [
    operation({
      id: 'getPaymentProvider',
      method: 'get',
      path: PROVIDER,
      access: 'payments.sensitive:read',
      summary: 'Gives a payment provider of the institution, without its keys',
      description: `Also before it has keys: \`webhookUrl\` is where it sends its webhooks. ${ON_KEYS}`,
      params,
      answers: { 200: PaymentProvider },
      etag: true,
      example: { params: exampleParams, answer: exampleProvider },
      handle: async ({ caller: { institution }, params }) => {
        const provider = requireProvider(params.provider);
        const stored = await readRecord(context, institution, provider);
        return ok(show(institution, provider, stored), toEtag(stored));
      },
    }),
    operation({
      id: 'setPaymentProvider',
      method: 'put',
      path: PROVIDER,
      access: 'payments.sensitive:write',
      summary: 'Sets the keys of a payment provider',
      answersWithin: 20,
      description:
        `${ON_KEYS} The provider is asked whether it accepts them; while payments or refunds are pending it must be ` +
        'the same account in the same mode. Members that are left out have their defaults: it replaces the record.',
      params,
      body: ProviderKeys,
      readOnly,
      answers: { 200: PaymentProvider },
      etag: true,
      conditional: true,
      errors: ['payment_provider_in_use', 'semantically_invalid'],
      example: {
        params: exampleParams,
        body: { secretKey: 'rk_test_51Example', webhookSecret: 'whsec_Example', methods: ['card', 'twint'] },
        answer: exampleProvider,
      },
      handle: async ({ caller: { institution }, params, body, ifMatch, requireUnchanged }) => {
        const provider = requireProvider(params.provider);
        const check = (stored: ProviderDocument | undefined): void => {
          ifMatch(toEtag(stored).etag);
          requireUnchanged(show(institution, provider, stored));
        };
        const stored = await setKeys(context, institution, provider, body, check);
        return ok(show(institution, provider, stored), toEtag(stored));
      },
    }),
    operation({
      id: 'deletePaymentProvider',
      method: 'delete',
      path: PROVIDER,
      access: 'payments.sensitive:write',
      summary: 'Deletes the keys of a payment provider',
      description: 'Not while payments or refunds of it are pending: pause it before.',
      params,
      answers: { 200: PaymentProvider },
      errors: ['payment_provider_in_use'],
      example: {
        params: exampleParams,
        answer: {
          ...exampleProvider,
          mode: null,
          hasWebhookSecret: false,
          methods: [],
          state: null,
          updatedAt: null,
        },
      },
      handle: async ({ caller: { institution }, params }) => {
        const provider = requireProvider(params.provider);
        await deleteKeys(context, institution, provider);
        return ok(show(institution, provider, undefined));
      },
    }),
  ];
}

export function buildWebhookUrl(publicUrl: string, provider: string, institution: string): string {
  return `${publicUrl}/svc/v3/payment-providers/${provider}/webhooks/${institution}`;
}

type View = Static<typeof PaymentProvider>;

/** Without keys the record is the same before there were any and after they were deleted. */
export function toProviderView(provider: string, keys: ProviderDocument | undefined, webhookUrl: string): View {
  const isSet = keys?.mode != null;
  return {
    provider,
    mode: keys?.mode ?? null,
    hasWebhookSecret: keys?.webhookSecret != null,
    methods: isSet ? (keys.methods as View['methods']) : [],
    webhookUrl,
    state: keys?.state ?? null,
    updatedAt: isSet ? keys.updatedAt : null,
  };
}
