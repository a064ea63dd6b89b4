import { hkdfSync } from 'node:crypto';
import { join } from 'node:path';
import { readStoredSecret } from '../secrets/stored-secret.ts';
import { type Environment, type Setting, SettingsFault } from '../settings/settings.ts';
import { dataDirectory, givenSecret, installationSecret, secretFile } from './common.ts';

/**
 * SERVICE_SECRET of one process, from SERVICE_ROOT_SECRET and the process's name (HKDF-SHA-256, RFC 5869): 256 bits in
 * base64url. It tells nothing of the root or of another process's secret.
 */
export const deriveServiceSecret = (root: string, process: string): string =>
  Buffer.from(hkdfSync('sha256', root, '', `boxoffice service ${process}`, 32)).toString('base64url');

/** What the authorizer derives the secret of every process from. */
export const serviceRootSecret = installationSecret('SERVICE_ROOT_SECRET');

const given = givenSecret('SERVICE_SECRET');
const givenRoot = givenSecret(serviceRootSecret.name);

/**
 * The root secret where this process has it. @throws {SettingsFault} in the name of the root secret, not of the one
 * derived from it
 */
const rootIn = (env: Environment, directory: string): string | undefined => {
  try {
    return givenRoot.read(env) ?? readStoredSecret(directory, secretFile(givenRoot.name));
  } catch (error) {
    throw new SettingsFault([`${givenRoot.name}: ${(error as Error).message}`]);
  }
};

/**
 * What a process proves itself to the authorizer with: SERVICE_SECRET, or derived from the root secret where it has
 * that. Required.
 */
export const serviceSecretOf = (process: string): Setting<string> => ({
  name: given.name,
  read(env) {
    const own = given.read(env);
    if (own !== undefined) return own;
    const directory = dataDirectory.read(env);
    const root = rootIn(env, directory);
    if (root !== undefined) return deriveServiceSecret(root, process);
    const kept = join(directory, secretFile(givenRoot.name));
    throw new Error(
      `is not set, nor can it be derived from ${kept}; operator service-secrets prints that of ${process}`,
    );
  },
});

/** The same for the authorizer, which has the root secret. */
export const serviceSecretFromRoot = (process: string): Setting<string> => ({
  name: serviceRootSecret.name,
  read: (env) => deriveServiceSecret(serviceRootSecret.read(env), process),
});
