import { CLIENT_SCOPES_PATH, type ClientBounds, createAuthorizerCalls } from '@boxoffice/identity';
import { type EventBounds, toEventBounds } from '../feed/visible.ts';
import type { WebhookDocument } from '../store.ts';
import { expandTypes, listVisibleTypes } from '../types/types.ts';

/** How long the authorizer's answer is used, in milliseconds. */
const KNOWN_MS = 5_000;

/** Which events are delivered: a selection of the feed. */
export interface Delivered {
  readonly types: readonly string[];
  /** Undefined: the institution's. */
  readonly bounds: EventBounds | undefined;
}

/** What a client may read of events at present. */
export type ClientRights = (institution: string, client: string) => Promise<Delivered>;

/** The events that a webhook names, as far as its client may read them at present. */
export type DeliveredEvents = (webhook: WebhookDocument) => Promise<Delivered>;

/** Limits the events of webhooks to what their clients may read; rejects if that cannot be found out. */
export function createDeliveredEvents(rightsOf: ClientRights): DeliveredEvents {
  return async ({ institution, types, client }) => {
    const { types: readable, bounds } = await rightsOf(institution, client);
    return { types: expandTypes(types).filter((type) => readable.includes(type)), bounds };
  };
}

/** The authorizer's answer. */
interface AnsweredRights {
  readonly scopes: readonly string[];
  readonly bounds: ClientBounds | null;
}

/** What a client with these scopes and bounds may read. */
export function computeRights(client: string, { scopes, bounds }: AnsweredRights): Delivered {
  const pointsOfSale = bounds?.pointsOfSale.map((host) => host.toLowerCase()) ?? [];
  return {
    types: listVisibleTypes(scopes),
    bounds: toEventBounds({ client, user: null, bounds: bounds && { ...bounds, pointsOfSale } }),
  };
}

/**
 * Asks the authorizer for the scopes and bounds of a client; one that was deleted may read nothing. Rejects if the
 * authorizer does not answer: then nothing is delivered until it does.
 */
export function createClientRights(authorizerUrl: string, secret: string): ClientRights {
  const callAuthorizer = createAuthorizerCalls({ authorizerUrl, service: 'events', secret });
  const known = new Map<string, { readonly at: number; readonly rights: Promise<Delivered> }>();

  const ask = async (institution: string, clientId: string): Promise<Delivered> => {
    const { status, data } = await callAuthorizer({ path: CLIENT_SCOPES_PATH, body: { institution, clientId } });
    if (status !== 200) throw new Error(`the authorizer answered ${status} to a question about a client`);
    return computeRights(clientId, data as AnsweredRights);
  };

  return (institution, client) => {
    const key = `${institution} ${client}`;
    const entry = known.get(key);
    if (entry && performance.now() - entry.at < KNOWN_MS) return entry.rights;
    for (const [other, { at }] of known) if (performance.now() - at >= KNOWN_MS) known.delete(other);
    const rights = ask(institution, client);
    known.set(key, { at: performance.now(), rights });
    rights.catch(() => known.get(key)?.rights === rights && known.delete(key));
    return rights;
  };
}
