import { installationSecret, integer, serviceRootSecret } from '@boxoffice/runtime';

/** What the authorizer alone is told, beside the settings of every service. */
export const settings = {
  /** How long an access token lives, in seconds; changes of scopes and revocations do not wait for it. */
  accessTokenLifetime: integer('ACCESS_TOKEN_LIFETIME_SECONDS', { default: 900, min: 1, max: 86_400 }),
  keyEncryptionKey: installationSecret('KEY_ENCRYPTION_KEY'),
  /** What the secret of every process is derived from. */
  serviceRootSecret,
};
