export { type AccessClaims, invalidToken, userOfToken, verifyAccessToken } from './access-token.ts';
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
  type SignedCaller,
  type SigningKey,
  signIdentity,
} from './identity-token.ts';
export { createKeySet, type KeySet } from './key-set.ts';
export { principalOf, type Restricted, restrictionOf } from './principal.ts';
export { createServiceCredentials, type ServiceCredentials } from './service-credentials.ts';
export { refusedSecret, verifySecret } from './service-secret.ts';
export { signJws, signJwsInPool } from './sign-jws.ts';
