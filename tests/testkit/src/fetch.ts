import { request as plainRequest } from 'node:http';
import { request } from 'node:https';
import { Readable } from 'node:stream';
import type { Address } from './client.ts';

/** `fetch` that trusts the certificate of an address instead of the system's, for clients that take such a function. */
export const fetchOf =
  ({ ca }: Pick<Address, 'ca'>) =>
  (url: string, { method = 'GET', headers = {}, body, signal }: RequestInit = {}): Promise<Response> =>
    new Promise((resolve, reject) => {
      const start = url.startsWith('http:') ? plainRequest : request;
      const options = { method, headers: Object.fromEntries(new Headers(headers)), ca, ...(signal && { signal }) };
      const outgoing = start(url, options, (incoming) => {
        const { statusCode: status = 0, rawHeaders } = incoming;
        const names = rawHeaders.filter((_, index) => index % 2 === 0);
        const received = names.map((name, index): [string, string] => [name, rawHeaders[index * 2 + 1] ?? '']);
        const isEmpty = method === 'HEAD' || status === 204 || status === 304;
        if (isEmpty) incoming.resume();
        const content = isEmpty ? null : (Readable.toWeb(incoming) as ReadableStream<Uint8Array<ArrayBuffer>>);
        resolve(new Response(content, { status, headers: received }));
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
