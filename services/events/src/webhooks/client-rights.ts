import { CLIENT_SCOPES_PATH, type ClientBounds, createAuthorizerCalls } from '@boxoffice/identity';
import { type EventBounds, toEventBounds } from '../feed/visible.ts';
import type { WebhookDocument } from '../store.ts';
import { expandTypes, listVisibleTypes } from '../types/types.ts';

/** Milliseconds for which the authorizer's answer is used. */
const KNOWN_MS = 5_000;

export interface Delivered {
  readonly types: readonly string[];
  /** Undefined: the institution's. */
  readonly bounds: EventBounds | undefined;
}

/** At present. */
export type ClientRights = (institution: string, client: string) => Promise<Delivered>;

/** As far as its client may read them at present. */
export type DeliveredEvents = (webhook: WebhookDocument) => Promise<Delivered>;

/** Rejects if the rights of a client cannot be found out. */
export function createDeliveredEvents(rightsOf: ClientRights): DeliveredEvents {
  return async ({ institution, types, client }) => {
    const { types: readable, bounds } = await rightsOf(institution, client);
    return { types: expandTypes(types).filter((type) => readable.includes(type)), bounds };
  };
}

interface AnsweredRights {
  readonly scopes: readonly string[];
  readonly bounds: ClientBounds | null;
}

export function computeRights(client: string, { scopes, bounds }: AnsweredRights): Delivered {
  const pointsOfSale = bounds?.pointsOfSale.map((host) => host.toLowerCase()) ?? [];
  return {
    types: listVisibleTypes(scopes),
    bounds: toEventBounds({ client, user: null, bounds: bounds && { ...bounds, pointsOfSale } }),
  };
}

/** A deleted client may read nothing. Rejects without an answer of the authorizer: nothing is delivered until then. */
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
