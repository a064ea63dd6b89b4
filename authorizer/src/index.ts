export { accessClaims } from './access-claims.ts';
export { authorizer } from './app.ts';
export { type Clients, type ClientWithSecret, createClients } from './clients.ts';
export { CALLS, SERVICES } from './domain/callers.ts';
export { SCOPES, type Scope } from './domain/scopes.ts';
export { type ClientChanged, examples, schemas, type TokenRevoked } from './events.ts';
export { internalShapes } from './internal-shapes.ts';
export { WrongKeyEncryptionKey, wayOut } from './key-encryption.ts';
export {
  ensureFirstKey,
  type KeyOptions,
  type KeySummary,
  listKeys,
  type RotationOptions,
  rotateKeys,
} from './keys.ts';
export {
  addClientSecret,
  type ClientSummary,
  createClient,
  deleteClient,
  listClients,
  type NewClientOptions,
  removeClientSecret,
} from './operate.ts';
export { signed as signAccessToken } from './signed.ts';
export { collections } from './store.ts';
