export { createApiKey, deleteApiKey, listApiKeys } from './api-keys/api-keys.ts';
export { authorizer } from './app.ts';
export {
  addClientSecret,
  createClient,
  createClients,
  createPublicClient,
  deleteClient,
  listClients,
  removeClientSecret,
} from './clients/clients.ts';
export { checkUris } from './clients/uris.ts';
export { findOnlyCaller } from './decisions/decisions.ts';
export { createInternalRoutes } from './decisions/routes.ts';
export { listDomainScopes, ROLES, SCOPES } from './domain/scopes.ts';
export { computeIntervalStart, keptFor, lengthOf, mergeRows, type Resolution, type UsageRow } from './domain/usage.ts';
export {
  type ApiKeyDocument,
  type ApiKeyUseDocument,
  apiKeysCollection,
  apiKeyUsesCollection,
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
export { buildAccessClaims, signAccessToken } from './tokens/issue.ts';
export {
  describeRecovery,
  listKeys,
  rotateKeys,
  WrongKeyEncryptionKey,
} from './tokens/signing-keys.ts';
export { createDivideLimits, createRecordUsage } from './usage/report.ts';
export { parseUsageRange, readUsage, type UsageQuery } from './usage/routes.ts';
export {
  createApiUser,
  inviteApiUser,
  listApiUsers,
  readmitApiUser,
  setApiUserPassword,
  setApiUserState,
} from './users/operator.ts';
