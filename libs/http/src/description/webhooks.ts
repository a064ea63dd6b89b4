import type { TSchema } from 'typebox';
import { ref } from '../families/components.ts';
import type { Schemas } from './named-schemas.ts';

/** A message that the installation sends to receivers of partners, for the description. */
export interface DescribedWebhook {
  /** The type of the message; the key in `webhooks`. */
  readonly type: string;
  readonly summary: string;
  /** The body; a named schema. */
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

/** The headers of every message (Standard Webhooks 1.0), as components. */
export const messageHeaders = {
  MessageId: header(
    'webhook-id',
    'The `id` of the event: the same in each attempt, so that whoever must not act twice remembers it.',
    { type: 'string' },
    'evt_5k2m9qx4tb03vn5e0rw',
  ),
  MessageTimestamp: header(
    'webhook-timestamp',
    'When this attempt was made, in seconds since 1970 (UTC): refuse what is more than five minutes away.',
    { type: 'string', pattern: '^[0-9]+$' },
    '1801483200',
  ),
  MessageSignature: header(
    'webhook-signature',
    '`v1,` and the HMAC-SHA256 of id, timestamp and body, joined by dots, in Base64. Separated by spaces there may be several, two while a secret is replaced: one of them must be right.',
    { type: 'string', pattern: '^v1,[A-Za-z0-9+/]+=*( v1,[A-Za-z0-9+/]+=*)*$' },
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
};

/** `order.confirmed` → `onOrderConfirmed`: generated code names its handler so. */
const operationIdOf = (type: string): string =>
  `on${type
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')}`;

/** The `webhooks` of a description. */
export const webhooksOf = (webhooks: readonly DescribedWebhook[], service: string, schemas: Schemas): object =>
  Object.fromEntries(
    webhooks.map(({ type, summary, body, example }) => [
      type,
      {
        post: {
          operationId: operationIdOf(type),
          summary,
          tags: [service],
          security: [],
          parameters: Object.keys(messageHeaders).map((name) => ref('parameters', name)),
          requestBody: {
            required: true,
            content: {
              'application/json': { schema: schemas.answer(body), examples: { [type]: { summary, value: example } } },
            },
          },
          responses: { '2XX': { description: 'The message was received. Any other answer is a failure.' } },
        },
      },
    ]),
  );
