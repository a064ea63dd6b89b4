import { join } from 'node:path';
import { listKeys } from '@boxoffice/authorizer';
import { keepSecret, keptFile, readKeptSecret, StartFault } from '@boxoffice/runtime';
import type { Store } from '@boxoffice/store';

/** The secret of the services, made at the first start and kept in the data directory. @throws {StartFault} */
export const keepServiceSecret = (directory: string): string => keepSecret(directory, keptFile('SERVICE_SECRET'));

const KEY_FILE = keptFile('KEY_ENCRYPTION_KEY');

const wayOut = (directory: string): string =>
  `restore ${join(directory, KEY_FILE)} or the setting; if it is lost for good, put a new one there and run npm run operator -- keys rotate --compromised`;

/**
 * The key that is kept in the data directory; made when the authorizer's store holds nothing yet that is encrypted under an
 * earlier one, which a new one could not open. @throws {StartFault}
 */
export const keepKeyEncryptionKey = async (directory: string, authorizerStore: Store): Promise<string> => {
  const kept = readKeptSecret(directory, KEY_FILE);
  if (kept !== undefined) return kept;
  if ((await listKeys(authorizerStore)).length === 0) return keepSecret(directory, KEY_FILE);
  throw new StartFault(
    `KEY_ENCRYPTION_KEY: is neither set nor kept, but the authorizer's store holds signing keys that are encrypted under it: ${wayOut(directory)}`,
  );
};

/** Tells a start that failed because the stored signing keys do not open as what it is; throws any other error as it came. */
export const explainKeys =
  (directory: string) =>
  (error: unknown): never => {
    // The authorizer's own words; no other error of its start begins with the name of the setting.
    if (!(error instanceof Error) || !error.message.startsWith('KEY_ENCRYPTION_KEY is not')) throw error;
    throw new StartFault(
      `KEY_ENCRYPTION_KEY: is not the one that the stored signing keys are encrypted under: ${wayOut(directory)}`,
    );
  };
