export {
  type AccessClaims,
  type AccessTokenOptions,
  invalidToken,
  userOfToken,
  verifyAccessToken,
} from './access-token.ts';
export {
  type AuthorizerAnswer,
  type AuthorizerCaller,
  type CallAuthorizer,
  createAuthorizerCalls,
  serviceAuthorization,
} from './authorizer-calls.ts';
export * from './caller.ts';
export * from './constants.ts';
export {
  callerOfIdentity,
  createIdentityVerifier,
  type IdentityTokenOptions,
  type IdentityVerifierOptions,
  type SignedCaller,
  type SigningKey,
  signIdentity,
} from './identity-token.ts';
export { createKeySet, type KeySet, type KeySetOptions, readKeys } from './key-set.ts';
export { principalOf, type Restriction, restrictionOf } from './principal.ts';
export {
  createServiceCredentials,
  type ServiceCall,
  type ServiceCredentials,
  type ServiceCredentialsOptions,
} from './service-credentials.ts';
export { refusedSecret, type SecretVerdict, verifySecret } from './service-secret.ts';
export { type JwsHeader, signJws, signJwsInPool } from './sign-jws.ts';
