import { join } from 'node:path';
import { listKeys, recoverySteps, WrongKeyEncryptionKey } from '@boxoffice/authorizer';
import { readStoredSecret, StartFault, secretFile, storeSecret } from '@boxoffice/runtime';
import type { Store } from '@boxoffice/store';

/**
 * The root of every process's secret, generated at the first start and stored in the data directory. @throws
 * {StartFault}
 */
export const keepServiceRootSecret = (directory: string): string =>
  storeSecret(directory, secretFile('SERVICE_ROOT_SECRET'));

const KEY_FILE = secretFile('KEY_ENCRYPTION_KEY');

const storedAt = (directory: string): string => `${join(directory, KEY_FILE)} or the setting`;

/**
 * The key in the data directory, generated if missing, unless the authorizer's store has values encrypted under an
 * earlier key, which a new one could not decrypt. @throws {StartFault}
 */
export const keepKeyEncryptionKey = async (directory: string, authorizerStore: Store): Promise<string> => {
  const stored = readStoredSecret(directory, KEY_FILE);
  if (stored !== undefined) return stored;
  if ((await listKeys(authorizerStore)).length === 0) return storeSecret(directory, KEY_FILE);
  throw new StartFault(
    `KEY_ENCRYPTION_KEY: is neither set nor stored, but the authorizer's store holds signing keys that are encrypted under it: ${recoverySteps(storedAt(directory))}`,
  );
};

/** Adds the key's location to the error of a start with a wrong key; rethrows any other error unchanged. */
export const explainKeys =
  (directory: string) =>
  (error: unknown): never => {
    throw error instanceof WrongKeyEncryptionKey ? new WrongKeyEncryptionKey(storedAt(directory)) : error;
  };
