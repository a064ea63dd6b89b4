import { isRegistered } from '../domain/client.ts';
import { findUnregisteredScopes, readScopes } from '../domain/scopes.ts';
import type { ClientDocument } from '../store.ts';
import { isChallenge } from '../tokens/grants.ts';

/** A parameter that may not be repeated (RFC 6749, 3.1), with its value; undefined where it is absent. */
type Parameters = Readonly<Record<string, string | undefined>>;

/** The errors of the authorization endpoint (RFC 6749, 4.1.2.1; OpenID Connect Core, 3.1.2.6). */
export type AuthorizationError =
  | 'invalid_request'
  | 'unsupported_response_type'
  | 'invalid_scope'
  | 'access_denied'
  | 'login_required'
  | 'consent_required'
  | 'interaction_required'
  | 'request_not_supported'
  | 'request_uri_not_supported'
  | 'temporarily_unavailable';

export type AuthorizationRequest = ReturnType<typeof toRequest>;

interface RequestError {
  readonly redirectUri: string;
  readonly state: string | undefined;
  readonly error: AuthorizationError;
  readonly description: string;
}

/** The result of reading a request. An unknown client or redirect URI is never redirected to. */
type Reading =
  | { readonly kind: 'request'; readonly request: AuthorizationRequest }
  | { readonly kind: 'error'; readonly error: RequestError }
  | {
      readonly kind: 'page';
      readonly fault: 'client' | 'redirect';
      readonly client: ClientDocument | undefined;
      /** For the makers of the client. */
      readonly detail: string;
    };

/** The parameters that are read; others are ignored (RFC 6749, 3.1). */
const KNOWN = [
  'client_id',
  'redirect_uri',
  'response_type',
  'response_mode',
  'scope',
  'state',
  'nonce',
  'code_challenge',
  'code_challenge_method',
  'prompt',
  'max_age',
  'login_hint',
  'id_token_hint',
  'ui_locales',
  'request',
  'request_uri',
  // Without effect, which OpenID Connect Core, 3.1.2.1 and 15.1, allows; but not twice.
  'acr_values',
  'claims',
  'claims_locales',
  'display',
  'registration',
] as const;

const PROMPTS = ['none', 'login', 'consent'];

const LONGEST_NONCE = 1_000;

type Fault = readonly [AuthorizationError, string];

type Rule = (parameters: Parameters, client: ClientDocument) => Fault | undefined;

const invalid = (description: string): Fault => ['invalid_request', description];

/** What a request must fulfil, in this order. */
const RULES: readonly Rule[] = [
  // No request objects (OpenID Connect Core, 3.1.2.6).
  ({ request, request_uri }) => {
    if (request !== undefined) return ['request_not_supported', 'The parameter request is not supported.'];
    if (request_uri === undefined) return undefined;
    return ['request_uri_not_supported', 'The parameter request_uri is not supported.'];
  },
  // The response type is code (RFC 6749, 3.1.1).
  ({ response_type: type }) => {
    if (type === undefined) return invalid('The parameter response_type is required: code.');
    return type === 'code' ? undefined : ['unsupported_response_type', 'The response_type must be code.'];
  },
  // The response comes in the query (OAuth 2.0 Multiple Response Types, 2.1).
  ({ response_mode: mode = 'query' }) => (mode === 'query' ? undefined : invalid('The response_mode must be query.')),
  // PKCE with S256 (RFC 7636, 4.4.1; RFC 9700, 2.1.1).
  ({ code_challenge: challenge, code_challenge_method: method }) => {
    if (challenge === undefined) return invalid('The parameter code_challenge is required (PKCE, RFC 7636).');
    if (method !== 'S256') return invalid('The code_challenge_method must be S256.');
    return isChallenge(challenge) ? undefined : invalid('The code_challenge must be 43 characters of base64url.');
  },
  // The client is registered for the scopes (RFC 6749, 3.3).
  ({ scope = '' }, client) => {
    const missing = findUnregisteredScopes(readScopes(scope), client.scopes);
    if (missing.length === 0) return undefined;
    return ['invalid_scope', `The client is not registered for these scopes: ${missing.join(' ')}.`];
  },
  // Known prompts, none alone (OpenID Connect Core, 3.1.2.1).
  ({ prompt = '' }) => {
    const prompts = readScopes(prompt);
    const unknown = prompts.filter((one) => !PROMPTS.includes(one));
    if (unknown.length > 0) return invalid(`The prompt must be one of ${PROMPTS.join(', ')}.`);
    return prompts.includes('none') && prompts.length > 1 ? invalid('The prompt none stands alone.') : undefined;
  },
  // `max_age` is a number of seconds (OpenID Connect Core, 3.1.2.1).
  ({ max_age: maxAge = '0' }) =>
    /^\d{1,9}$/.test(maxAge) ? undefined : invalid('The parameter max_age must be a number of seconds.'),
  ({ nonce = '' }) =>
    nonce.length <= LONGEST_NONCE ? undefined : invalid(`The nonce is longer than ${LONGEST_NONCE} characters.`),
];

/** The client and the redirect URI come first: before both are known, nothing is redirected (RFC 6749, 4.1.2.1). */
export async function readRequest(
  sent: readonly (readonly [string, string])[],
  getClient: (clientId: string) => Promise<ClientDocument | undefined>,
): Promise<Reading> {
  const repeated = KNOWN.filter((name) => sent.filter(([key]) => key === name).length > 1);
  const first = new Map(sent.toReversed());
  const parameters: Parameters = Object.fromEntries(KNOWN.map((name) => [name, first.get(name)]));
  const { client_id: clientId, redirect_uri: redirectUri, state } = parameters;
  const page = (fault: 'client' | 'redirect', client: ClientDocument | undefined, detail: string): Reading => ({
    kind: 'page',
    fault,
    client,
    detail,
  });
  if (clientId === undefined) return page('client', undefined, 'client_id is missing');
  if (repeated.includes('client_id')) return page('client', undefined, 'client_id is sent twice');
  const client = await getClient(clientId);
  if (!client) return page('client', undefined, 'client_id is not registered');
  if (redirectUri === undefined) return page('redirect', client, 'redirect_uri is missing');
  if (repeated.includes('redirect_uri')) return page('redirect', client, 'redirect_uri is sent twice');
  if (!isRegistered(redirectUri, client.redirectUris))
    return page('redirect', client, `redirect_uri is not registered for ${client.id}: ${redirectUri.slice(0, 200)}`);
  const fault =
    repeated.length > 0
      ? invalid(`Parameters are sent twice: ${repeated.join(', ')}.`)
      : RULES.map((rule) => rule(parameters, client)).find((found) => found !== undefined);
  if (!fault) return { kind: 'request', request: toRequest(parameters, client, redirectUri) };
  const [error, description] = fault;
  const known = repeated.includes('state') ? undefined : state;
  return { kind: 'error', error: { redirectUri, state: known, error, description } };
}

const toRequest = (p: Parameters, client: ClientDocument, redirectUri: string) => ({
  client,
  redirectUri,
  state: p.state,
  /** The wanted scopes; undefined for all. */
  scopes: p.scope === undefined || readScopes(p.scope).length === 0 ? undefined : readScopes(p.scope),
  challenge: p.code_challenge ?? '',
  nonce: p.nonce ?? null,
  prompts: readScopes(p.prompt ?? ''),
  /** Seconds. */
  maxAge: p.max_age === undefined ? undefined : Number(p.max_age),
  loginHint: p.login_hint,
  idTokenHint: p.id_token_hint,
  uiLocales: p.ui_locales,
  /** The parameters as they were sent, to send the request again. */
  parameters: Object.fromEntries(
    KNOWN.flatMap((name) => {
      const value = p[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  ),
});
