import { hkdfSync } from 'node:crypto';
import { join } from 'node:path';
import { readStoredSecret } from '../secrets/stored-secret.ts';
import { type Environment, type Setting, SettingsFault } from '../settings/settings.ts';
import { dataDirectory, givenSecret, installationSecret, secretFile } from './common.ts';

/**
 * SERVICE_SECRET of one process, derived from SERVICE_ROOT_SECRET and the process's name (HKDF-SHA-256, RFC 5869): 256
 * bits in base64url. It does not reveal the root or another process's secret.
 */
export const deriveServiceSecret = (root: string, process: string): string =>
  Buffer.from(hkdfSync('sha256', root, '', `boxoffice service ${process}`, 32)).toString('base64url');

/** The root secret, from which the authorizer derives the secret of every process. */
export const serviceRootSecret = installationSecret('SERVICE_ROOT_SECRET');

const given = givenSecret('SERVICE_SECRET');
const givenRoot = givenSecret(serviceRootSecret.name);

/**
 * The root secret, if this process has it.
 * @throws {SettingsFault} in the name of the root secret, not of the derived one
 */
const rootIn = (env: Environment, directory: string): string | undefined => {
  try {
    return givenRoot.read(env) ?? readStoredSecret(directory, secretFile(givenRoot.name));
  } catch (error) {
    throw new SettingsFault([`${givenRoot.name}: ${(error as Error).message}`]);
  }
};

/**
 * The secret that proves a process to the authorizer: SERVICE_SECRET, or derived from the root secret if the process
 * has that. Required.
 */
export const serviceSecretOf = (process: string): Setting<string> => ({
  name: given.name,
  read(env) {
    const own = given.read(env);
    if (own !== undefined) return own;
    const directory = dataDirectory.read(env);
    const root = rootIn(env, directory);
    if (root !== undefined) return deriveServiceSecret(root, process);
    const path = join(directory, secretFile(givenRoot.name));
    throw new Error(
      `is not set, nor can it be derived from ${path}; operator service-secrets prints that of ${process}`,
    );
  },
});

/** The same for the authorizer, which has the root secret. */
export const serviceSecretFromRoot = (process: string): Setting<string> => ({
  name: serviceRootSecret.name,
  read: (env) => deriveServiceSecret(serviceRootSecret.read(env), process),
});
