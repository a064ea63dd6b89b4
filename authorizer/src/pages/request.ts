import type { IncomingMessage } from 'node:http';
import { readBody, textOf } from '@boxoffice/http';

/** A request for a page, or a form that a page sent. */
export interface PageRequest {
  /** HEAD is GET. */
  readonly method: 'GET' | 'POST';
  /** Whether only the headers are wanted: nothing may be granted or changed. */
  readonly isHead: boolean;
  /** The parameters of the query, and of the body of a POST, in their order; empty ones count as absent. */
  readonly parameters: readonly (readonly [string, string])[];
  readonly cookie: string | undefined;
  readonly acceptLanguage: string | undefined;
  /** Whether the browser says that another site sent this form. */
  readonly isCrossSite: boolean;
  /** The address of the browser. */
  readonly address: string;
  readonly requestId: string;
  /** Whether the browser has closed the connection. */
  readonly hasLeft: () => boolean;
}

/** Larger than any form of these pages. */
const LIMIT_BYTES = 32_768;

const one = (header: string | readonly string[] | undefined): string | undefined =>
  typeof header === 'string' ? header : header?.[0];

/** The first address of X-Forwarded-For, which the gateway sets. */
const addressOf = ({ headers, socket }: IncomingMessage): string =>
  one(headers['x-forwarded-for'])?.split(',', 1)[0]?.trim() || (socket.remoteAddress ?? '');

/** `Origin` and `Sec-Fetch-Site` of browsers that send them (Fetch, 3.2; Fetch Metadata, 2.1). */
const isCrossSite = ({ headers }: IncomingMessage, origin: string): boolean => {
  const site = one(headers['sec-fetch-site']);
  return (headers.origin !== undefined && headers.origin !== origin) || (site !== undefined && site !== 'same-origin');
};

/** Reads a request. `origin` is that of the pages. @throws {Fault} bad_request, payload_too_large; {ClientGone} */
export const readPageRequest = async (
  request: IncomingMessage,
  origin: string,
  requestId: string,
): Promise<PageRequest> => {
  const { headers, url = '', socket } = request;
  const isPost = request.method === 'POST';
  const body = isPost ? await readBody(request, LIMIT_BYTES) : undefined;
  const text = body?.length ? textOf(request, body, 'application/x-www-form-urlencoded') : '';
  const query = url.includes('?') ? url.slice(url.indexOf('?') + 1) : '';
  const parameters = [...new URLSearchParams(query), ...new URLSearchParams(text)].filter(([, value]) => value !== '');
  return {
    method: isPost ? 'POST' : 'GET',
    isHead: request.method === 'HEAD',
    parameters,
    cookie: headers.cookie,
    acceptLanguage: one(headers['accept-language']),
    isCrossSite: isCrossSite(request, origin),
    address: addressOf(request),
    requestId,
    hasLeft: () => socket.destroyed,
  };
};

/** The value of a parameter that is sent once; undefined where it is absent or repeated. */
export const single = ({ parameters }: Pick<PageRequest, 'parameters'>, name: string): string | undefined => {
  const values = parameters.filter(([key]) => key === name);
  return values.length === 1 ? values[0]?.[1] : undefined;
};
