import { type Environment, keepSecret, keptFile, readSettings, secret } from '@boxoffice/runtime';

/** The secrets that every process of an installation shares. */
const NAMES = ['SERVICE_SECRET', 'KEY_ENCRYPTION_KEY'];

/** Makes the secrets that the settings do not give, and keeps them in the data directory. @throws {StartFault} */
export const keepSecrets = (directory: string, env?: Environment): void => {
  for (const name of NAMES) {
    const { given } = readSettings({ given: secret(name, { optional: true }) }, env);
    if (given === undefined) keepSecret(directory, keptFile(name));
  }
};
