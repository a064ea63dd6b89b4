import { createNullableSchema, listReadOnlyMembers, named, oneOf, timestamp } from '@boxoffice/http';
import { Type } from 'typebox';
import { KEY_PATTERN, modes } from '../domain/keys.ts';
import { METHODS } from '../domain/methods.ts';

const methods = Type.Array(oneOf(METHODS), {
  minItems: 1,
  maxItems: METHODS.length,
  uniqueItems: true,
  description:
    'methods of payment that are decided at once, as the provider names them; `card` includes the wallets of phones',
});

export const ProviderKeys = named(
  'PaymentProviderKeys',
  Type.Object({
    secretKey: Type.String({
      maxLength: 300,
      pattern: KEY_PATTERN,
      description: 'a secret key (`sk_…`) or a restricted one (`rk_…`) of the account; never answered',
    }),
    webhookSecret: Type.Optional(
      Type.String({
        maxLength: 300,
        pattern: '^[!-~]+$',
        description:
          'the signing secret of the webhook at `webhookUrl`; without it webhooks are refused; never answered',
      }),
    ),
    methods: Type.Optional(Type.Unsafe<(typeof METHODS)[number][]>({ ...methods, default: ['card'] })),
    state: Type.Optional(
      oneOf(['active', 'paused'], {
        default: 'active',
        description: '`paused`: no new pages; everything that is pending goes on',
      }),
    ),
  }),
);

export const PaymentProvider = named(
  'PaymentProvider',
  Type.Object({
    provider: Type.String({ description: 'its name, which points of sale name among their `paymentMethods`' }),
    mode: createNullableSchema(oneOf(modes, { description: 'by the keys; null before there are any' })),
    hasWebhookSecret: Type.Boolean({ description: 'whether webhooks are taken' }),
    methods: Type.Array(oneOf(METHODS), { description: 'the methods of payment that its pages offer' }),
    webhookUrl: Type.String({ format: 'uri', description: 'where the provider sends its webhooks' }),
    state: createNullableSchema(oneOf(['active', 'paused'], { description: 'null before there are keys' })),
    updatedAt: createNullableSchema(timestamp),
  }),
);

export const readOnly = listReadOnlyMembers(PaymentProvider, ProviderKeys);

export const exampleProvider = {
  provider: 'stripe',
  mode: 'test' as const,
  hasWebhookSecret: true,
  methods: ['card' as const, 'twint' as const],
  webhookUrl: 'https://tickets.example/svc/v3/payment-providers/stripe/webhooks/opera',
  state: 'active' as const,
  updatedAt: '2027-02-01T12:00:00.000Z',
};
