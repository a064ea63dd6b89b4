export { type ApiKeySummary, createApiKey, deleteApiKey, listApiKeys } from './api-keys/operator.ts';
export { authorizer } from './app.ts';
export { type Clients, type ClientWithSecret, createClients, type NewClient } from './clients/clients.ts';
export {
  addClientSecret,
  type ClientSummary,
  createClient,
  createPublicClient,
  deleteClient,
  listClients,
  type NewClientOptions,
  removeClientSecret,
} from './clients/operator.ts';
export { checkUris } from './clients/uris.ts';
export { internalRoutes } from './decisions/routes.ts';
export { CALLS, SERVICES } from './domain/callers.ts';
export { ROLES, type Role } from './domain/roles.ts';
export { SCOPES, type Scope } from './domain/scopes.ts';
export { keptFor, lengthOf, mergedRows, type Resolution, startOf, type UsageRow } from './domain/usage.ts';
export { type ClientChanged, examples, schemas, type TokenRevoked } from './events.ts';
export { recoverySteps as wayOut, WrongKeyEncryptionKey } from './keys/encryption.ts';
export {
  ensureFirstKey,
  type KeyOptions,
  type KeySummary,
  listKeys,
  type RotationOptions,
  rotateKeys,
} from './keys/keys.ts';
export {
  type ApiKeyDocument,
  type ApiKeyUseDocument,
  apiKeysCollection,
  apiKeyUsesCollection,
  type ClientDocument,
  clientsCollection,
  collections,
  type GrantDocument,
  grantsCollection,
  type SessionDocument,
  sessionsCollection,
  type UsageDocument,
  type UserDocument,
  usageCollection,
  usersCollection,
} from './store.ts';
export { accessClaims, signAccessToken } from './tokens/access-token.ts';
export { LONGEST_DAYS, rangeOf, readUsage, type UsageItem, type UsagePage, type UsageQuery } from './usage/query.ts';
export { createRecordUsage, type RecordUsage, type UsageReport } from './usage/record.ts';
export {
  type ApiUserOptions,
  createApiUser,
  inviteApiUser,
  listApiUsers,
  lockApiUser,
  type NewApiUser,
  readmitApiUser,
  setApiUserPassword,
  type UserSummary,
} from './users/operator.ts';
