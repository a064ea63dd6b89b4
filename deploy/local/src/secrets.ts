import { join } from 'node:path';
import { listKeys, WrongKeyEncryptionKey, wayOut } from '@boxoffice/authorizer';
import { readStoredSecret, StartFault, secretFile, storeSecret } from '@boxoffice/runtime';
import type { Store } from '@boxoffice/store';

/** What every process's secret is derived from, made at the first start and kept in the data directory. @throws {StartFault} */
export const keepServiceRootSecret = (directory: string): string =>
  storeSecret(directory, secretFile('SERVICE_ROOT_SECRET'));

const KEY_FILE = secretFile('KEY_ENCRYPTION_KEY');

const whereKept = (directory: string): string => `${join(directory, KEY_FILE)} or the setting`;

/**
 * The key that is kept in the data directory; made when the authorizer's store holds nothing yet that is encrypted under an
 * earlier one, which a new one could not open. @throws {StartFault}
 */
export const keepKeyEncryptionKey = async (directory: string, authorizerStore: Store): Promise<string> => {
  const kept = readStoredSecret(directory, KEY_FILE);
  if (kept !== undefined) return kept;
  if ((await listKeys(authorizerStore)).length === 0) return storeSecret(directory, KEY_FILE);
  throw new StartFault(
    `KEY_ENCRYPTION_KEY: is neither set nor kept, but the authorizer's store holds signing keys that are encrypted under it: ${wayOut(whereKept(directory))}`,
  );
};

/** Says where the key is kept when a start failed because it is the wrong one; throws any other error as it came. */
export const explainKeys =
  (directory: string) =>
  (error: unknown): never => {
    throw error instanceof WrongKeyEncryptionKey ? new WrongKeyEncryptionKey(whereKept(directory)) : error;
  };
