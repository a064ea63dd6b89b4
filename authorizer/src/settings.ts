import { installationSecret, integer, serviceRootSecret, url } from '@boxoffice/runtime';

/** The authorizer's own settings, beside those of every service. */
export const settings = {
  /** Where points of sale and contacts are, which users of the institution API refer to; without them, none can. */
  catalogUrl: url('CATALOG_URL', { origin: true, optional: true }),
  contactsUrl: url('CONTACTS_URL', { origin: true, optional: true }),
  /** Lifetime of an access token in seconds. Changed scopes and revocations take effect earlier. */
  accessTokenLifetime: integer('ACCESS_TOKEN_LIFETIME_SECONDS', { default: 900, min: 1, max: 86_400 }),
  /**
   * Wrong passwords of one address at an institution, over all users, within 15 minutes; after that its attempts are
   * refused.
   */
  loginFailuresPerAddress: integer('LOGIN_FAILURES_PER_ADDRESS', { default: 300, min: 1 }),
  keyEncryptionKey: installationSecret('KEY_ENCRYPTION_KEY'),
  /** The secret that every process's SERVICE_SECRET is derived from. */
  serviceRootSecret,
};
