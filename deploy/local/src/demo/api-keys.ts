import { createApiKey, deleteApiKey, listApiKeys } from '@boxoffice/authorizer';
import type { Store } from '@boxoffice/store';

/** An API key of `demo.json`, for public data of its institution. */
export interface DemoApiKey {
  readonly institution: string;
  readonly key: string;
}

const NAME = 'demo';

/** Registers the demo key of an institution. An existing one, whose text is lost, is replaced. */
export const registerApiKey = async (store: Store, institution: string): Promise<DemoApiKey> => {
  const existing = await listApiKeys(store, institution);
  const { key } = await createApiKey(store, institution, { name: NAME });
  for (const { name, apiKeyId } of existing) {
    if (name === NAME) await deleteApiKey(store, institution, apiKeyId);
  }
  return { institution, key };
};
