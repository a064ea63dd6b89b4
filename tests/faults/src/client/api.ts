// Clients of a deployment: of its partner, and of visitors of a web shop.

import { randomUUID } from 'node:crypto';
import { within } from '@boxoffice/runtime';
import { type Call, type Client, type Json, openClient, type Reply, withToken } from '@boxoffice/testkit';
import type { Deployment } from '../deployment/deployment.ts';
import { isBusy } from './request.ts';
import type { OrderView } from './views.ts';

/** Longer than any deadline of the product: a later response never arrives. */
const PATIENCE_MS = 15_000;

/** Returns a client without a token, on its own connections. It rejects when no response arrives within the timeout. */
export const openVisit = ({ address }: Pick<Deployment, 'address'>): Client => {
  const client = openClient(address);
  return (path, call) =>
    within(client(path, call), PATIENCE_MS, () => {
      throw new Error(`no answer within ${PATIENCE_MS} ms`);
    });
};

/** Returns a client of the deployment's partner; its calls share their connections. */
export const openApi = ({ address, partner }: Pick<Deployment, 'address' | 'partner'>): Client =>
  withToken(openVisit({ address }), partner);

/** Longer than the restarts that several kills in a row cost on a slow machine: `recovery` checks how long each takes. */
const INSISTENCE_MS = 90_000;

/**
 * Repeats a call while the product is unavailable. @throws {Error} with the last response, when the deadline has passed
 */
const insist = async (api: Client, path: string, call: Call | undefined): Promise<Reply> => {
  const deadline = performance.now() + INSISTENCE_MS;
  const headers = { 'idempotency-key': randomUUID(), ...call?.headers };
  const sent = call?.method === 'POST' ? { ...call, headers } : call;
  for (;;) {
    let failure = '';
    const reply = await api(path, sent).catch((error: { readonly message?: string }) => {
      failure = error.message ?? String(error);
      return undefined;
    });
    if (reply && reply.status < 500 && !isBusy(reply)) return reply;
    if (performance.now() > deadline)
      throw new Error(`${call?.method ?? 'GET'} ${path}: ${reply ? `${reply.status} ${reply.text}` : failure}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

/**
 * The `data` of a read or of a preparation, repeated while the product is unavailable. @throws {Error} when the
 * deadline passes
 */
export const must = async (api: Client, path: string, call?: Call): Promise<Json> => {
  const { status, body, text } = await insist(api, path, call);
  if (status >= 300) throw new Error(`${call?.method ?? 'GET'} ${path}: ${status} ${text}`);
  return body.data;
};

/** An order or a cart; undefined if it does not exist. */
export const findOrder = async (api: Client, orderId: string): Promise<OrderView | undefined> => {
  const { status, body, text } = await insist(api, `/svc/v3/orders/${orderId}`, undefined);
  if (status === 404) return undefined;
  if (status >= 300) throw new Error(`order ${orderId}: ${status} ${text}`);
  return body.data;
};
