// Clients of a deployment: of its partner, and of visitors of a web shop.

import { randomUUID } from 'node:crypto';
import type { State } from '@boxoffice/orders';
import { settleWithin } from '@boxoffice/runtime';
import { authoriseClient, type Call, type Client, type Json, openClient, type Reply } from '@boxoffice/testkit';
import type { Status } from '@boxoffice/tickets';
import type { Deployment } from '../deployment/deployment.ts';

/** Longer than any deadline of the product: a later response never arrives. */
const PATIENCE_MS = 15_000;

/** Returns a client without a token, on its own connections. It rejects when no response arrives within the timeout. */
export function openVisit({ address }: Pick<Deployment, 'address'>): Client {
  const client = openClient(address);
  return (path, call) =>
    settleWithin(client(path, call), PATIENCE_MS, () => {
      throw new Error(`no answer within ${PATIENCE_MS} ms`);
    });
}

/** Returns a client of the deployment's partner; its calls share their connections. */
export function openApi({ address, partner }: Pick<Deployment, 'address' | 'partner'>): Client {
  return authoriseClient(openVisit({ address }), partner);
}

/** The result of a request that was repeated under one key until it was final or its sender's patience ended. */
export interface Asked {
  /** The last response; undefined when none arrived. */
  readonly reply: Reply | undefined;
  /** The responses in order; a sequence of equal ones appears once. */
  readonly story: readonly string[];
  readonly unknownTries: number;
  readonly tookMs: number;
}

/** How long a client repeats a request without a final response. */
const PERSISTENCE_MS = 25_000;

const FIRST_PAUSE_MS = 60;
const LONGEST_PAUSE_MS = 800;

/** Waits before the n-th repeat, longer each time: repeats during a crash leave the CPU to the recovery. */
export function waitBeforeRepeat(repeats: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 1.5 ** repeats)));
}

const isBusy = ({ status, body, headers }: Reply): boolean =>
  status === 429 ||
  (status === 409 && body?.status === 'idempotency_in_progress') ||
  (status === 409 && body?.status === 'conflict' && headers['idempotency-replayed'] === undefined);

export function isFinal(reply: Reply | undefined): reply is Reply {
  return reply !== undefined && reply.status < 500 && !isBusy(reply);
}

/**
 * Sends the request until its response is final, for so long at most; a client that does not insist stops at one that
 * never comes or is a 5xx.
 */
export async function ask(
  api: Client,
  path: string,
  call: Call,
  { insists = true, patienceMs = PERSISTENCE_MS } = {},
): Promise<Asked> {
  const startedAt = performance.now();
  const getElapsedMs = () => performance.now() - startedAt;
  const story: string[] = [];
  let unknownTries = 0;
  for (let repeats = 0; ; repeats++) {
    const reply = await api(path, call).catch(() => undefined);
    const said = reply === undefined ? 'nothing' : saidIn(reply);
    if (!story.at(-1)?.endsWith(said)) story.push(`after ${Math.round(getElapsedMs())} ms ${said}`);
    const unknown = reply === undefined || reply.status >= 500;
    if (unknown) unknownTries += 1;
    const goesOn = unknown ? insists : isBusy(reply);
    if (!goesOn || getElapsedMs() > patienceMs) return { reply, story, unknownTries, tookMs: getElapsedMs() };
    await waitBeforeRepeat(repeats);
  }
}

/** A response in the story of its request; a failure with its reason, since nobody can ask for it later. */
const saidIn = ({ status, body }: Reply): string =>
  `${status} ${body?.status}${status >= 500 && body?.details ? ` (${JSON.stringify(body.details)})` : ''}`;

/** Sends a command until its response is final. */
export async function sendCommand(api: Client, path: string, method: string, body?: object) {
  const headers = { 'idempotency-key': randomUUID() };
  const { reply } = await ask(api, path, { method, headers, ...(body === undefined ? {} : { body }) });
  if (!isFinal(reply)) return { outcome: 'unknown' as const };
  return { outcome: reply.status < 300 ? ('ok' as const) : ('refused' as const), data: reply.body.data };
}

/** Longer than several restarts in a row take on a slow machine: `recovery` checks how long each takes. */
const INSISTENCE_MS = 90_000;

/** The `data` of a read or preparation, repeated while the product is unavailable. @throws {Error} at the deadline */
export async function requireData(api: Client, path: string, call?: Call): Promise<Json> {
  const { status, body, text } = await insist(api, path, call);
  if (status >= 300) throw new Error(`${call?.method ?? 'GET'} ${path}: ${status} ${text}`);
  return body.data;
}

/** @throws {Error} with the story, when the deadline has passed */
const insist = async (api: Client, path: string, call: Call = {}): Promise<Reply> => {
  const headers = { 'idempotency-key': randomUUID(), ...call.headers };
  const sent = call.method === 'POST' ? { ...call, headers } : call;
  const { reply, story } = await ask(api, path, sent, { patienceMs: INSISTENCE_MS });
  if (isFinal(reply)) return reply;
  throw new Error(`${call.method ?? 'GET'} ${path}: ${story.join(', ')}`);
};

/** An order or a cart; undefined if it does not exist. */
export async function findOrder(api: Client, orderId: string): Promise<OrderView | undefined> {
  const { status, body, text } = await insist(api, `/svc/v3/orders/${orderId}`);
  if (status === 404) return undefined;
  if (status >= 300) throw new Error(`order ${orderId}: ${status} ${text}`);
  return body.data;
}

/** The institution API's documents, as far as these checks read them. */

export interface LineView {
  readonly id: string;
  readonly performanceId: string;
  readonly ticketId: string | null;
  readonly tariffId: string;
  readonly seatCategoryId: string;
  readonly place: { readonly id: string };
  readonly amount: number;
  readonly components: readonly { readonly id: string; readonly amount: number }[];
}

export interface OrderView {
  readonly id: string;
  readonly state: State;
  readonly externalReference: string | null;
  readonly lines: readonly LineView[];
  readonly formerLines: readonly (LineView & { readonly changeId: string })[];
  /** The pending one. */
  readonly change: string | null;
  readonly fees: readonly { readonly amount: number }[];
  readonly total: number;
  readonly paid: number;
  readonly refunded: number;
  readonly due: number;
  readonly credit: number;
  readonly contactNumber: string | null;
  readonly expiresAt: string | null;
  readonly confirmedAt: string | null;
  readonly cancellation: { readonly settledAt: string | null } | null;
}

/** A return or an exchange of lines. */
export interface ChangeView {
  readonly id: string;
  readonly state: 'pending' | 'done' | 'lapsed';
  readonly reason: string | null;
  readonly returns: readonly { readonly lineId: string }[];
  readonly exchanges: readonly { readonly lineId: string; readonly newLineId: string }[];
  readonly due: number;
  readonly credit: number;
  readonly expiresAt: string | null;
  readonly settlement: {
    readonly ticketsCancelled: number | null;
    readonly controlled: number | null;
    readonly settledAt: string | null;
  };
}

export interface TicketView {
  readonly id: string;
  readonly performanceId: string;
  readonly place: { readonly id: string };
  readonly status: Status;
  readonly orderId: string;
  readonly controlledAt: string | null;
}
