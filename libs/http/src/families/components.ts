import { type Code, failure, registry } from '@boxoffice/envelope';
import { MAX_IDEMPOTENCY_KEY_LENGTH } from '../shape.ts';

export function createRef(
  kind: 'schemas' | 'parameters' | 'headers' | 'examples' | 'requestBodies' | 'responses',
  name: string,
) {
  return {
    $ref: `#/components/${kind}/${name}`,
  };
}

export function formatExampleDetails(code: Code): string {
  return `Example: ${registry[code].when}.`;
}

const withData = new Set<Code>(['contact_duplicate_email']);

/** Every service's description shares them unchanged, so that descriptions can be merged. */
export function buildSharedComponents() {
  return {
    schemas: {
      Failure: {
        type: 'object',
        description: 'The envelope of an error.',
        required: ['status', 'details', 'data'],
        properties: {
          status: {
            type: 'string',
            pattern: '^[a-z][a-z0-9_]*$',
            description:
              'Machine-readable code; the only member to switch on. New codes may come: treat an unknown one like the generic code of the HTTP status.',
          },
          details: { type: 'string', description: 'For humans; wording may change.' },
          // Beside null, a type that generators of clients know.
          data: { type: ['object', 'null'], const: null, description: 'None.' },
        },
      },
    },
    parameters: {
      RequestId: parameter(
        'X-Request-Id',
        'Returned and logged everywhere; made where it is absent or not well-formed (`[A-Za-z0-9._-]{1,128}`).',
      ),
      Traceparent: parameter('traceparent', 'W3C Trace Context; a new trace is started if it is absent or malformed.'),
      IdempotencyKey: parameter(
        'Idempotency-Key',
        'Makes the request safe to repeat for 24 hours: a repeat is answered like the first one, with ' +
          '`Idempotency-Replayed: true`. A repeat has the same method, address and JSON value, in any spelling.',
        { type: 'string', minLength: 1, maxLength: MAX_IDEMPOTENCY_KEY_LENGTH },
      ),
      IfMatch: parameter('If-Match', 'The ETag that the resource must still have (RFC 9110, 13.1.1).'),
      IfNoneMatch: parameter(
        'If-None-Match',
        'ETags that are known already: 304 if one is current (RFC 9110, 13.1.2).',
      ),
    },
    headers: {
      'X-Request-Id': header("The request's id."),
      traceparent: header("The request's trace (W3C Trace Context)."),
      ETag: header('Validator of the resource, for If-Match and If-None-Match.'),
      Location: header('Where the new resource is.', { type: 'string', format: 'uri-reference' }),
      'Idempotency-Replayed': header('`true` on the answer to a repeated request.', { type: 'string', const: 'true' }),
      'Retry-After': header('Seconds to wait.', { type: 'string' }),
      'WWW-Authenticate': header('How to authenticate (RFC 6750, 3).'),
      RateLimit: header('What is left of the limits (IETF RateLimit fields).'),
      'RateLimit-Policy': header('The limits (IETF RateLimit fields).'),
    },
    examples: Object.fromEntries(
      (Object.keys(registry) as Code[])
        .filter((code) => !withData.has(code))
        .map((code) => [code, { summary: registry[code].when, value: failure(code, formatExampleDetails(code)) }]),
    ),
  };
}

const parameter = (name: string, description: string, schema: object = { type: 'string' }) => ({
  name,
  in: 'header',
  required: false,
  description,
  schema,
});

const header = (description: string, schema: object = { type: 'string' }) => ({ description, schema });
