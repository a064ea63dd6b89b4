// Clients of a deployment: institutions' buyers and web shop visitors that record every outcome.

import { randomUUID } from 'node:crypto';
import { within } from '@boxoffice/runtime';
import { type Call, clientOf, type Reply } from '../../client.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { isBusy } from './busy.ts';
import type { OrderView } from './views.ts';

/** A client that renews its token. Rejects when no response arrives within the timeout. */
export type Api = (path: string, call?: Call) => Promise<Reply>;

/** Longer than any deadline of the product: a later response never arrives. */
const PATIENCE_MS = 15_000;
/** Tokens live for fifteen minutes. */
const RENEWED_AFTER_MS = 8 * 60_000;

const inTime = <T>(work: Promise<T>): Promise<T> =>
  within(work, PATIENCE_MS, () => {
    throw new Error(`no answer within ${PATIENCE_MS} ms`);
  });

/** Returns a client without a token, on its own connections, as an anonymous visitor has. */
export const openVisit = ({ door }: Pick<Deployment, 'door'>): Api => {
  const client = clientOf(door);
  return (path, call) => inTime(client(path, call));
};

/** Returns a client of the deployment's partner; its calls share their connections. */
export const openApi = ({ door, partner }: Pick<Deployment, 'door' | 'partner'>): Api => {
  const anonymous = clientOf(door);
  let token: { readonly value: Promise<string>; readonly at: number } | undefined;

  const fetchToken = async (): Promise<string> => {
    const { clientId, clientSecret } = partner;
    const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
    const call = {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
    };
    const reply = await inTime(anonymous('/auth/token', call));
    if (reply.status !== 200) throw new Error(`no token: ${reply.status} ${reply.text}`);
    return `Bearer ${reply.body.access_token}`;
  };
  const authorization = async (): Promise<string> => {
    if (!token || Date.now() - token.at > RENEWED_AFTER_MS) token = { value: fetchToken(), at: Date.now() };
    const current = token;
    return current.value.catch((error: unknown) => {
      if (token === current) token = undefined;
      throw error;
    });
  };
  return async (path, call = {}) => {
    const headers = { authorization: await authorization(), ...call.headers };
    return inTime(anonymous(path, { ...call, headers }));
  };
};

/**
 * Repeats a call while the product is unavailable. @throws {Error} with the last response, when the deadline has passed
 */
const insist = async (api: Api, path: string, call: Call | undefined): Promise<Reply> => {
  const deadline = Date.now() + 30_000;
  const headers = { 'idempotency-key': randomUUID(), ...call?.headers };
  const sent = call?.method === 'POST' ? { ...call, headers } : call;
  for (;;) {
    let failure = '';
    const reply = await api(path, sent).catch((error: { readonly message?: string }) => {
      failure = error.message ?? String(error);
      return undefined;
    });
    if (reply && reply.status < 500 && !isBusy(reply)) return reply;
    if (Date.now() > deadline)
      throw new Error(`${call?.method ?? 'GET'} ${path}: ${reply ? `${reply.status} ${reply.text}` : failure}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

/**
 * The `data` of a read or of a preparation, repeated while the product is unavailable. @throws {Error} when the
 * deadline passes
 */
export const must = async (api: Api, path: string, call?: Call): Promise<ReturnType<typeof JSON.parse>> => {
  const { status, body, text } = await insist(api, path, call);
  if (status >= 300) throw new Error(`${call?.method ?? 'GET'} ${path}: ${status} ${text}`);
  return body.data;
};

/** An order or a cart; undefined if it does not exist. */
export const findOrder = async (api: Api, orderId: string): Promise<OrderView | undefined> => {
  const { status, body, text } = await insist(api, `/svc/v3/orders/${orderId}`, undefined);
  if (status === 404) return undefined;
  if (status >= 300) throw new Error(`order ${orderId}: ${status} ${text}`);
  return body.data;
};
