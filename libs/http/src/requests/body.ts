import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Fault } from '@boxoffice/envelope';
import { MAX_NAMED } from '../validation/violations.ts';

/** No operation needs a third of either. */
export const MAX_DEPTH = 32;
export const MAX_MEMBERS = 6_000;

/** Start of a list's comma count: it never reaches `MAX_MEMBERS`. */
const UNCOUNTED = -(2 ** 30);

export const BODY_LIMIT_BYTES = 256 * 1024;

/** An order with a thousand places, names and ticket fields is larger than what a client may send. */
export const INTERNAL_BODY_LIMIT_BYTES = 8 * 1024 * 1024;

/** The client disconnected before its request was complete: there is no connection to answer on. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

const EMPTY = Buffer.alloc(0);

/** Rejects with Fault `payload_too_large` at the limit, the rest unread, and with ClientGone if the connection ends. */
export function readBody(request: IncomingMessage, limit: number = BODY_LIMIT_BYTES): Promise<Buffer> {
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
  if (coding === undefined && (length === undefined || length === '0')) return Promise.resolve(EMPTY);
  if (Number(length) > limit) return Promise.reject(tooLarge(limit));
  // A request that was aborted before emits no further event.
  if (request.destroyed && !request.complete) return Promise.reject(new ClientGone());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (act: () => void) => {
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      act();
    };
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > limit) settle(() => reject(tooLarge(limit)));
    };
    const onEnd = () => settle(() => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    const onClose = () => settle(() => reject(new ClientGone()));
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  });
}

const tooLarge = (limit: number) =>
  new Fault('payload_too_large', `The request body is over ${limit} bytes.`, { Connection: 'close' });

const MEDIA_TYPE = /^([^\s;]+)\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?;?$/i;

/** No media type is longer; the expression takes quadratic time for white space. */
const MAX_MEDIA_TYPE_LENGTH = 200;

/** Whether the request declares its body as this media type, in UTF-8 and uncompressed. */
export function hasTextType(request: IncomingMessage, mediaType: string): boolean {
  return (
    mediaTypeOf(request) === mediaType &&
    (request.headers['content-encoding'] ?? 'identity').toLowerCase() === 'identity'
  );
}

/** The declared media type of a request, in lower case; undefined with another charset or if it is malformed. */
const mediaTypeOf = ({ headers }: IncomingMessage): string | undefined => {
  const given = headers['content-type'] ?? '';
  return given.length > MAX_MEDIA_TYPE_LENGTH ? undefined : MEDIA_TYPE.exec(given.trim())?.[1]?.toLowerCase();
};

/** Refuses other media types (in any case, with or without `charset=utf-8`), content codings, and invalid UTF-8. */
export function readBodyText(request: IncomingMessage, body: Buffer, mediaType: string): string {
  if (mediaTypeOf(request) !== mediaType)
    throw new Fault('bad_request', `The request body must be ${mediaType}, in UTF-8.`);
  const coding = request.headers['content-encoding'] ?? 'identity';
  if (coding.toLowerCase() !== 'identity') throw new Fault('bad_request', 'The request body must not be compressed.');
  if (!isUtf8(body)) throw new Fault('bad_request', 'The request body is not UTF-8.');
  return body.toString('utf8');
}

/** Throws Fault `bad_request` on anything else; its details do not repeat the client's text. */
export function parseJsonObject(request: IncomingMessage, body: Buffer): Record<string, unknown> {
  const text = readBodyText(request, body, 'application/json');
  const excess = excessOf(body);
  if (excess) throw new Fault('bad_request', excess);
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Fault('bad_request', '$ must be an object.');
  const illFormed = illFormedTexts(text, value);
  if (illFormed.length > 0)
    throw new Fault('bad_request', illFormed.map((path) => `${path} is not well-formed Unicode.`).join(' '));
  return value as Record<string, unknown>;
}

/** Too deep, or an object with many members, which takes far longer than a list of the size. Need not be valid JSON. */
const excessOf = (json: Uint8Array): string | undefined => {
  // Commas of each open object; those of lists do not count.
  const open: number[] = [];
  let commas = UNCOUNTED;
  for (let at = 0; at < json.length; at += 1) {
    switch (json[at]) {
      case 0x22: // "
        at = endOfText(json, at);
        break;
      case 0x2c: // ,
        commas += 1;
        if (commas >= MAX_MEMBERS) return `An object of the request body has over ${MAX_MEMBERS} members.`;
        break;
      case 0x5b: // [
      case 0x7b: // {
        if (open.push(commas) > MAX_DEPTH) return `The request body is nested deeper than ${MAX_DEPTH} levels.`;
        commas = json[at] === 0x7b ? 0 : UNCOUNTED;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        commas = open.pop() ?? UNCOUNTED;
        break;
    }
  }
  return undefined;
};

/** The index of the closing quote of the text that opens at `from`. */
const endOfText = (json: Uint8Array, from: number): number => {
  let at = from + 1;
  while (at < json.length && json[at] !== 0x22) at += json[at] === 0x5c ? 2 : 1;
  return at;
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new Fault('bad_request', 'The request body is not JSON.');
  }
};

const MAX_FIELDS = 200;

/** An empty field counts as absent (RFC 6749, 3.2); a repeated one, and too many, are Fault `bad_request`. */
export function parseForm(request: IncomingMessage, body: Buffer): Record<string, string> {
  const fields: Record<string, string> = Object.create(null);
  const seen = new Set<string>();
  const text = readBodyText(request, body, 'application/x-www-form-urlencoded');
  if (text.split('&', MAX_FIELDS + 1).length > MAX_FIELDS)
    throw new Fault('bad_request', `The form has over ${MAX_FIELDS} fields.`);
  for (const [name, value] of new URLSearchParams(text)) {
    if (seen.has(name))
      throw new Fault('bad_request', `The form field ${JSON.stringify(name.slice(0, 64))} is repeated.`);
    seen.add(name);
    if (value !== '') fields[name] = value;
  }
  return fields;
}

/** Escapes of surrogates: only through them can JSON in UTF-8 hold text that is not well-formed. */
const SURROGATE = /\\u[dD][89a-fA-F]/;

/** A value in a document, and the way to it; the path is built only when it is needed. */
interface Place {
  readonly value: object;
  readonly above: Place | undefined;
  readonly step: string;
}

const step = (key: string): string =>
  /^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `[${JSON.stringify(key.slice(0, 64))}]`;

const pathOf = ({ above, step: own }: Place): string => (above ? pathOf(above) + own : own);

/** JSON paths of texts with lone surrogates (RFC 8259, 8.2), which nothing can store or send; at most `MAX_NAMED`. */
const illFormedTexts = (json: string, value: object): string[] => {
  if (!SURROGATE.test(json)) return [];
  const found: string[] = [];
  const rest: Place[] = [{ value, above: undefined, step: '$' }];
  for (let next = rest.pop(); next && found.length < MAX_NAMED; next = rest.pop()) {
    const isList = Array.isArray(next.value);
    for (const [key, inside] of Object.entries(next.value)) {
      const place = (at: object): Place => ({ value: at, above: next, step: isList ? `[${key}]` : step(key) });
      const text = isList || key.isWellFormed() ? inside : key;
      if (typeof text === 'object' && text !== null) rest.push(place(text));
      if (typeof text !== 'string' || text.isWellFormed()) continue;
      found.push(pathOf(place({})).toWellFormed());
      if (found.length === MAX_NAMED) break;
    }
  }
  return found.toSorted();
};

/** One text for all spellings of a value; `{}` for an empty body. Undefined if no operation reads it. */
export function canonicaliseJson(body: Buffer): string | undefined {
  if (body.length === 0) return '{}';
  if (!isUtf8(body) || excessOf(body)) return undefined;
  try {
    return JSON.stringify(JSON.parse(body.toString('utf8')), sortMembers);
  } catch {
    return undefined;
  }
}

/** `fromEntries` keeps `__proto__` an ordinary member. A number beyond the range of doubles must not become null. */
const sortMembers = (_name: string, value: unknown): unknown => {
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
};
