import { type Code, Fault, posFailure, registry } from '@boxoffice/envelope';
import type { Family } from '../exchange/faults.ts';
import type { OpenApiDocument, OpenApiOperation, OpenApiResponse } from '../routing/description.ts';

/** The errors that the gateway can answer in place of any operation; the only 5xx of family B is 500. */
const ALWAYS: readonly Code[] = [
  'bad_request',
  'request_timeout',
  'too_many_requests',
  'headers_too_large',
  'internal_error',
  'bad_gateway',
  'service_unavailable',
];

const codesFor = (family: Family, operation: OpenApiOperation): readonly Code[] => [
  ...ALWAYS.filter((code) => family === 'A' || registry[code].http <= 500),
  ...(operation.requestBody ? (['payload_too_large'] as const) : []),
  ...(operation.security?.some((requirement) => 'oauth2' in requirement)
    ? (['unauthorized', 'forbidden'] as const)
    : []),
];

const header = (name: string) => ({ $ref: `#/components/headers/${name}` });

/** Family B schemas list their error codes; the registry of family A is open. */
const failureOf = (family: Family, code: Code): object =>
  family === 'A'
    ? { $ref: '#/components/schemas/Failure' }
    : {
        allOf: [
          { $ref: '#/components/schemas/GatewayFailure' },
          {
            type: 'object',
            ...(registry[code].http === 500 ? { required: ['userLoggedOut', 'orderCancelled'] } : {}),
            properties: { errorCode: { type: 'string', enum: [registry[code].status] } },
          },
        ],
      };

/** The schema of a gateway error in family B. */
export const gatewayFailure = {
  type: 'object',
  description: 'An error that the gateway answers in the place of the point-of-sale service.',
  required: ['success', 'errorCode', 'errorMessage'],
  properties: {
    success: { type: 'boolean', description: 'False.' },
    errorCode: { type: 'string', pattern: '^[a-z][a-z0-9_]*$' },
    errorMessage: { type: 'string' },
    userLoggedOut: { type: 'boolean', description: 'on 500' },
    orderCancelled: { type: 'boolean', description: 'on 500' },
  },
} as const;

const exampleOf = (family: Family, code: Code): object =>
  family === 'A'
    ? { $ref: `#/components/examples/${code}` }
    : { summary: registry[code].when, value: posFailure(new Fault(code, `Example: ${registry[code].when}.`)) };

const responseOf = (family: Family, code: Code): OpenApiResponse => {
  const { http, status, when } = registry[code];
  const headers = {
    'X-Request-Id': header('X-Request-Id'),
    traceparent: header('traceparent'),
    RateLimit: header('RateLimit'),
    'RateLimit-Policy': header('RateLimit-Policy'),
    ...(http === 429 || http === 503 || (family === 'B' && http === 500)
      ? { 'Retry-After': header('Retry-After') }
      : {}),
    ...(http === 401 || http === 403 ? { 'WWW-Authenticate': header('WWW-Authenticate') } : {}),
  };
  const content = {
    'application/json': { schema: failureOf(family, code), examples: { [code]: exampleOf(family, code) } },
  };
  return { description: `- \`${status}\`: ${when}`, headers, content } as OpenApiResponse;
};

const nameOf = (code: Code): string =>
  `Gateway${code.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}`;

/** Every response that the gateway can give instead of a service, by component name. */
export const gatewayResponses = (family: Family): Readonly<Record<string, OpenApiResponse>> =>
  Object.fromEntries(
    [...ALWAYS, 'payload_too_large' as const, 'unauthorized' as const, 'forbidden' as const].map((code) => [
      nameOf(code),
      responseOf(family, code),
    ]),
  );

/** Adds every status that the gateway can answer; responses that the operation describes itself stay. */
const withGatewayStatuses = (family: Family, operation: OpenApiOperation): OpenApiOperation => {
  const added = codesFor(family, operation)
    .filter((code) => operation.responses?.[registry[code].http] === undefined)
    .map((code) => [String(registry[code].http), { $ref: `#/components/responses/${nameOf(code)}` }] as const);
  return { ...operation, responses: { ...operation.responses, ...Object.fromEntries(added) } };
};

/** Applies withGatewayStatuses to every operation. */
export const allWithGatewayStatuses = (family: Family, paths: OpenApiDocument['paths']): OpenApiDocument['paths'] =>
  Object.fromEntries(
    Object.entries(paths).map(([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries(item).map(([member, value]) => [
          member,
          value.operationId === undefined ? value : withGatewayStatuses(family, value),
        ]),
      ),
    ]),
  );
