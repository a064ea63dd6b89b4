import type { TSchema } from 'typebox';
import type { Schemas } from './named-schemas.ts';

export interface DescribedWebhook {
  readonly type: string;
  readonly summary: string;
  readonly body: TSchema;
  readonly example: unknown;
}

const header = (name: string, description: string, schema: object, example: unknown) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema,
  example,
});

/** The headers of every message (Standard Webhooks 1.0). */
const messageHeaders = [
  header(
    'webhook-id',
    'The `id` of the event, the same in each attempt.',
    { type: 'string' },
    'evt_5k2m9qx4tb03vn5e0rw',
  ),
  header(
    'webhook-timestamp',
    'When this attempt was made, in seconds since 1970 (UTC).',
    { type: 'string', pattern: '^[0-9]+$' },
    '1801483200',
  ),
  header(
    'webhook-signature',
    '`v1,` and the HMAC-SHA256 of id, timestamp and body; several are separated by spaces.',
    { type: 'string', pattern: '^v1,[A-Za-z0-9+/]+=*( v1,[A-Za-z0-9+/]+=*)*$' },
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
];

/** The tag of the messages: one that operations have too would let their generated code overwrite each other. */
export const MESSAGES = {
  name: 'webhook messages',
  description:
    'What webhooks deliver, signed (Standard Webhooks 1.0): `webhook-signature` is over id, timestamp and body, joined by ' +
    'dots, in Base64; one of its signatures must be right, two are there while a secret is replaced. Refuse what is ' +
    'more than five minutes old, and remember `webhook-id` where acting twice does harm.',
};

export function describeWebhooks(webhooks: readonly DescribedWebhook[], schemas: Schemas): object {
  return Object.fromEntries(
    webhooks.map(({ type, summary, body, example }) => [
      type,
      {
        post: {
          operationId: operationIdOf(type),
          summary,
          tags: [MESSAGES.name],
          security: [],
          // In full each time: generators of clients do not resolve references here.
          parameters: messageHeaders,
          requestBody: {
            required: true,
            content: {
              'application/json': { schema: schemas.answer(body), examples: { [type]: { value: example } } },
            },
          },
          responses: { '2XX': { description: 'The message was received. Any other answer is a failure.' } },
        },
      },
    ]),
  );
}

/** `order.confirmed` → `onOrderConfirmed`: generated code names its handler so. */
const operationIdOf = (type: string): string =>
  `on${type
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')}`;
