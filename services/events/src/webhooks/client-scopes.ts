import { CLIENT_SCOPES_PATH, createAuthorizerCalls } from '@boxoffice/identity';
import { expandTypes, typesVisibleTo } from '../types/types.ts';
import type { WebhookDocument } from './documents.ts';

/** How long the authorizer's answer is used, in milliseconds. */
const KNOWN_MS = 5_000;

/** The types of events that a client may read at present. */
export type ReadableTypes = (institution: string, client: string) => Promise<ReadonlySet<string>>;

/** The types that are delivered: what the webhook names, as far as its client may read it at present. */
export type DeliveredTypes = (webhook: WebhookDocument) => Promise<readonly string[]>;

/** Limits the types of webhooks to what their clients may read; rejects if that cannot be found out. */
export const createDeliveredTypes =
  (readable: ReadableTypes): DeliveredTypes =>
  async ({ institution, types, client }) => {
    const visible = await readable(institution, client);
    return expandTypes(types).filter((type) => visible.has(type));
  };

/**
 * Asks the authorizer which scopes a client has, and with them which types it may read; none of a client that was
 * deleted. Rejects if the authorizer does not answer: then nothing is delivered until it does.
 */
export const createReadableTypes = (authorizerUrl: string, secret: string): ReadableTypes => {
  const callAuthorizer = createAuthorizerCalls({ authorizerUrl, service: 'events', secret });
  const known = new Map<string, { readonly at: number; readonly types: Promise<ReadonlySet<string>> }>();

  const ask = async (institution: string, clientId: string): Promise<ReadonlySet<string>> => {
    const { status, data } = await callAuthorizer({ path: CLIENT_SCOPES_PATH, body: { institution, clientId } });
    if (status !== 200) throw new Error(`the authorizer answered ${status} to a question about a client`);
    const { scopes } = data as { readonly scopes: readonly string[] };
    return new Set(typesVisibleTo(scopes));
  };

  return (institution, client) => {
    const key = `${institution} ${client}`;
    const entry = known.get(key);
    if (entry && performance.now() - entry.at < KNOWN_MS) return entry.types;
    for (const [other, { at }] of known) if (performance.now() - at >= KNOWN_MS) known.delete(other);
    const types = ask(institution, client);
    known.set(key, { at: performance.now(), types });
    types.catch(() => known.get(key)?.types === types && known.delete(key));
    return types;
  };
};
