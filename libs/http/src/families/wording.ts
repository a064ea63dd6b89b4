import { type Code, failure } from '@boxoffice/envelope';
import { type AnyCode, type AnyOperation, neededScopes } from '../operation.ts';
import { isIdempotent } from '../shape.ts';
import { exampleDetails, ref, sharedComponents } from './components.ts';
import { scopeWords } from './scope-words.ts';

/** How a family's requests and answers are described. */
export interface Wording {
  /** What is appended to an operation's id under its alias. */
  readonly aliasSuffix: string;
  /** How many operations must have a parameter, body or response for it to be a component. */
  readonly sharedFrom: number;
  /** The members of a 2xx body, given the schema of its data. */
  success(data: object): Readonly<Record<string, object>>;
  /** A 2xx body. */
  successExample(data: unknown): object;
  /** The body of an error. */
  failureExample(code: AnyCode): object;
  /** The schema of the body of an error that has one of these codes, with this status. */
  failureSchema(codes: readonly AnyCode[], status: number): object;
  /** What descriptions share; `schemas.Failure` is the body of an error. */
  components(): Readonly<Record<'schemas' | 'parameters' | 'headers' | 'examples', Readonly<Record<string, object>>>>;
  /** Parameters that the operation takes beside those that it declares. */
  parameters(operation: AnyOperation): readonly object[];
  /** Names of the headers that every 2xx of the operation has beside those of any answer. */
  answerHeaders(operation: AnyOperation): readonly string[];
  /** Headers of an error with this status. */
  errorHeaders(operation: AnyOperation, status: number): object;
  /** The access of the operation. */
  security(operation: AnyOperation): readonly object[];
  /** How callers authenticate. `tokenUrl` ends with `/token`; users sign in at `/authorize` beside it. */
  securitySchemes(tokenUrl: string, operations: readonly AnyOperation[]): object;
}

/** Scopes of users who sign in that no operation requires (OpenID Connect Core, 5.4 and 11). */
const USER_SCOPES = ['openid', 'profile', 'email', 'offline_access'];

/** Each scope with what it lets its holder do. */
const inWords = (scopes: readonly string[]) =>
  Object.fromEntries(scopes.map((scope) => [scope, scopeWords[scope] ?? scope]));

/** The header parameters that any operation of any family takes. */
export const commonParameters = (operation: AnyOperation): object[] => [
  ref('parameters', 'RequestId'),
  ref('parameters', 'Traceparent'),
  ...(isIdempotent(operation) ? [ref('parameters', 'IdempotencyKey')] : []),
  ...(operation.conditional ? [ref('parameters', 'IfMatch')] : []),
  ...(operation.etag && operation.method === 'get' ? [ref('parameters', 'IfNoneMatch')] : []),
];

const challengeOf = ({ access, challenge }: AnyOperation, status: number): object => {
  if (status === 401 && challenge !== undefined) {
    return { 'WWW-Authenticate': { description: challenge, required: false, schema: { type: 'string' } } };
  }
  // Without a token there is no missing scope.
  const challenges = status === 401 || (status === 403 && access !== 'public');
  return challenges ? { 'WWW-Authenticate': ref('headers', 'WWW-Authenticate') } : {};
};

const API_KEY = {
  type: 'apiKey',
  in: 'header',
  name: 'X-API-Key',
  description: 'An API key of the institution, for public data. A request with a token goes by the token.',
};

/** The words of the institution API. */
export const wordingA: Wording = {
  aliasSuffix: 'Unprefixed',
  sharedFrom: 2,
  success: (data) => ({ status: { type: 'string', const: 'success' }, details: { type: ['string', 'null'] }, data }),
  successExample: (data) => ({ status: 'success', details: null, data }),
  failureExample: (code) => failure(code as Code, exampleDetails(code as Code)),
  // The registry is open: clients meet codes that they do not know.
  failureSchema: () => ref('schemas', 'Failure'),
  components: sharedComponents,
  parameters: commonParameters,
  answerHeaders: () => [],
  errorHeaders: challengeOf,
  security: (operation) =>
    operation.access === 'public'
      ? []
      : [{ oauth2: [...neededScopes(operation)] }, ...(operation.publicWithKey ? [{ apiKey: [] }] : [])],
  securitySchemes: (tokenUrl, operations) => {
    const needed = [...new Set(operations.flatMap(neededScopes))].toSorted();
    return {
      apiKey: API_KEY,
      oauth2: {
        type: 'oauth2',
        flows: {
          clientCredentials: { tokenUrl, scopes: inWords(needed) },
          authorizationCode: {
            authorizationUrl: tokenUrl.replace(/\/token$/, '/authorize'),
            tokenUrl,
            refreshUrl: tokenUrl,
            scopes: inWords([...needed, ...USER_SCOPES]),
          },
        },
      },
    };
  },
};
