import { type ClientRequest, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import type { New } from '@boxoffice/store';
import { type AddressPolicy, Unresolvable } from '../addresses.ts';
import { createSignedHeaders, type SecretBox, selectSigningSecrets } from '../signing.ts';
import type { DeliveryDocument, DeliveryError, WebhookDocument } from '../store.ts';

interface SendResult {
  /** Null without an answer. */
  readonly httpStatus: number | null;
  /** Null if the delivery succeeded. */
  readonly error: DeliveryError | null;
}

type Send = (url: URL, headers: Readonly<Record<string, string>>, body: string) => Promise<SendResult>;

/** Milliseconds, the look-up of the name and the connection included. */
const ANSWER_MS = 15_000;

interface SendOptions {
  readonly policy: Pick<AddressPolicy, 'findRefusal' | 'findAddresses'>;
  readonly answerMs?: number;
  /** Certificate authorities (PEM) to trust instead of those of the process. */
  readonly ca?: string;
}

/** A failure that is known before anything is sent. */
class Failure extends Error {
  readonly error: DeliveryError;
  constructor(error: DeliveryError) {
    super(error);
    this.error = error;
  }
}

const TLS_CODE = /^(?:ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|HOSTNAME_MISMATCH|EPROTO)/;

/**
 * Each POST has a connection of its own, to an address that was checked when the name was resolved for it and again
 * once it is connected. Redirects are not followed, the answer's body is not read.
 */
export function createSend({ policy, answerMs = ANSWER_MS, ca }: SendOptions): Send {
  const findPermitted = async (url: URL): Promise<readonly string[]> => {
    const found = await policy.findAddresses(url);
    const permitted = found.filter((address) => policy.findRefusal(url, address) === undefined);
    if (permitted.length === 0) throw new Failure('address_refused');
    return permitted;
  };

  const exchange = (sent: ClientRequest, url: URL, body: string): Promise<SendResult> =>
    new Promise((resolve, reject) => {
      const check = (socket: Socket): void => {
        const { remoteAddress } = socket;
        if (remoteAddress === undefined || policy.findRefusal(url, remoteAddress) !== undefined)
          socket.destroy(new Failure('address_refused'));
      };
      sent.on('socket', (socket) => socket.once('connect', () => check(socket)));
      sent.on('response', (response) => {
        resolve(toResult(response));
        sent.destroy();
      });
      // Also after the answer: a receiver may cut the connection while it is being closed.
      sent.on('error', reject);
      sent.end(body);
    });

  const open = (url: URL, headers: Readonly<Record<string, string>>, addresses: readonly string[]): ClientRequest => {
    const options: RequestOptions & { readonly ca?: string } = {
      method: 'POST',
      headers,
      agent: false,
      lookup: createLookup(addresses),
      ...(ca === undefined ? {} : { ca }),
    };
    return url.protocol === 'https:' ? httpsRequest(url, options) : httpRequest(url, options);
  };

  return async (url, headers, body) => {
    const late = Promise.withResolvers<never>();
    let sent: ClientRequest | undefined;
    const timer = setTimeout(() => late.reject(new Failure('timeout')), answerMs);
    const attempt = async (): Promise<SendResult> => {
      const addresses = await findPermitted(url);
      sent = open(url, { ...headers, 'content-length': String(Buffer.byteLength(body)) }, addresses);
      return exchange(sent, url, body);
    };
    try {
      const trying = attempt();
      trying.catch(() => undefined);
      return await Promise.race([trying, late.promise]);
    } catch (error) {
      return { httpStatus: null, error: toError(error) };
    } finally {
      clearTimeout(timer);
      sent?.destroy();
    }
  };
}

const toResult = ({ statusCode = 0 }: IncomingMessage): SendResult => {
  if (statusCode >= 200 && statusCode <= 299) return { httpStatus: statusCode, error: null };
  return { httpStatus: statusCode, error: statusCode >= 300 && statusCode <= 399 ? 'redirect' : 'http_status' };
};

const createLookup =
  (addresses: readonly string[]): LookupFunction =>
  (_host, options, callback) => {
    const found = addresses.map((address) => ({ address, family: isIP(address) }));
    const [first] = found;
    if (options.all) callback(null, found);
    else callback(null, first?.address ?? '', first?.family);
  };

const toError = (error: unknown): DeliveryError => {
  if (error instanceof Failure) return error.error;
  if (error instanceof Unresolvable) return 'name_not_resolved';
  const code = String((error as { readonly code?: unknown } | undefined)?.code ?? '');
  if (TLS_CODE.test(code)) return 'tls_failed';
  return code.startsWith('HPE_') ? 'invalid_response' : 'connection_failed';
};

interface Message {
  readonly id: string;
  /** The event as the feed shows it. */
  readonly body: string;
}

export interface Attempted extends SendResult {
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly durationMs: number;
}

export type Attempt = (webhook: WebhookDocument, message: Message) => Promise<Attempted>;

/** Never rejects; `now`: epoch milliseconds. */
export function createAttempt(send: Send, box: SecretBox, now: () => number): Attempt {
  return async (webhook, { id, body }) => {
    const startedAt = now();
    const secrets = selectSigningSecrets(webhook.secrets, startedAt).map((stored) => box.open(webhook.id, stored));
    const readable = secrets.filter((secret) => secret !== undefined);
    if (readable.length === 0) return { startedAt, durationMs: 0, httpStatus: null, error: 'secret_unreadable' };
    const clock = performance.now();
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'boxoffice-webhooks',
      ...createSignedHeaders(readable, { id, timestamp: Math.floor(startedAt / 1000), body }),
    };
    const result = await send(new URL(webhook.url), headers, body);
    return { startedAt, durationMs: Math.round(performance.now() - clock), ...result };
  };
}

/** `nextAt`: epoch milliseconds of the next attempt, if there is one. */
export function buildAttemptRecord(
  delivery: DeliveryDocument,
  { startedAt, durationMs, httpStatus, error }: Attempted,
  nextAt?: number,
): New<DeliveryDocument> {
  return {
    ...delivery,
    outcome: error === null ? 'succeeded' : 'failed',
    dueAt: null,
    at: new Date(startedAt).toISOString(),
    durationMs,
    httpStatus,
    error,
    nextAttemptAt: nextAt === undefined ? null : new Date(nextAt).toISOString(),
  };
}
