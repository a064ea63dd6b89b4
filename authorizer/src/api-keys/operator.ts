import { createCheck } from '@boxoffice/http';
import type { Store } from '@boxoffice/store';
import type { Static } from 'typebox';
import { createApiKeys } from './api-keys.ts';
import { detailsOf, NewApiKey, view } from './view.ts';

const check = createCheck(NewApiKey);

/**
 * Creates an API key directly in the store, for an operator; the plaintext key is returned only here.
 * @throws {Fault} validation_error
 */
export const createApiKey = async (store: Store, institution: string, body: Static<typeof NewApiKey>) => {
  check(body);
  const { apiKey, key } = await createApiKeys(store).create(institution, detailsOf(body));
  return { ...view({ apiKey, use: undefined }, Date.now()), key };
};

/** The API keys of one institution, oldest first. */
export const listApiKeys = async (store: Store, institution: string) => {
  const found = await createApiKeys(store)
    .used(institution)
    .find({ where: { deletedAt: null }, orderBy: 'createdAt' });
  return found.map((used) => view(used, Date.now()));
};

/** Deletes an API key. @throws {Fault} not_found */
export const deleteApiKey = async (store: Store, institution: string, apiKeyId: string): Promise<void> => {
  await createApiKeys(store).remove(institution, apiKeyId);
};
