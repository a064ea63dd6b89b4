export { type AccessClaims, createAccessTokenVerifier, createInvalidTokenFault, toCallerUser } from './access-token.ts';
export {
  API_KEYS_PATH,
  type AuthorizerAnswer,
  type AuthorizerCaller,
  type CallAuthorizer,
  CLIENT_SCOPES_PATH,
  createAuthorizerCalls,
  createServiceCredentials,
  DECISIONS_PATH,
  describeRefusedSecret,
  formatServiceAuthorization,
  IDENTITIES_PATH,
  ORIGINS_PATH,
  PUBLIC_DECISIONS_PATH,
  REVOCATIONS_PATH,
  type ServiceCredentials,
  USAGE_PATH,
  verifySecret,
} from './authorizer-calls.ts';
export {
  ACCESS_TYPE,
  type Caller,
  type CallerUser,
  type ClientBounds,
  type ContactBounds,
  computeContactBounds,
  computeRestriction,
  IDENTITY_HEADER,
  IDENTITY_LIFETIME_SECONDS,
  type IdentityVerifier,
  type Restricted,
  ROLES,
  type Role,
  selectLimits,
  toPrincipal,
} from './caller.ts';
export {
  createIdentityVerifier,
  decodeCaller,
  type IdentityTokenOptions,
  type SignedCaller,
  type SigningKey,
  signIdentity,
} from './identity-token.ts';
export { createKeySet, JWKS_PATH, type KeySet, SIGNATURE_ALGORITHM } from './key-set.ts';
export { signJws, signJwsInPool } from './signed-token.ts';
