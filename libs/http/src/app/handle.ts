import { Fault } from '@boxoffice/envelope';
import { type Caller, computeRestriction } from '@boxoffice/identity';
import type { Logger } from '@boxoffice/runtime';
import { type AccessOptions, type Admitted, createAdmission } from '../access.ts';
import { createEncoder } from '../answers/compressed.ts';
import {
  type AccessLogger,
  createCloseSignal,
  type Exchange,
  formatJsonBody,
  type Headers,
  type Reply,
} from '../answers/exchange.ts';
import { createOutcomes, type Outcome } from '../answers/outcome.ts';
import { createAnnouncement } from '../description/deprecation.ts';
import type { DescriptionOptions } from '../description/openapi.ts';
import type { Family } from '../families/family.ts';
import { createCursorCodec, formatCursorOwner } from '../lists.ts';
import type { AnyOperation } from '../operation.ts';
import { BODY_LIMIT_BYTES, INTERNAL_BODY_LIMIT_BYTES, readBody } from '../requests/body.ts';
import { compileForm } from '../requests/form.ts';
import { isKnown, requireMatch } from '../requests/headers.ts';
import { isIdempotent, TAKES_BODY } from '../shape.ts';
import { type Compile, createAnswerCheck } from '../validation/validators.ts';
import {
  createIdempotencyTicket,
  createOnce,
  type IdempotencyPort,
  type Remember,
  rememberNothing,
  type Ticket,
} from './idempotency.ts';

export interface AppOptions extends Omit<DescriptionOptions, 'readers'>, AccessOptions {
  /** Members of the description of the internal operations, for those who deploy: `x-…`. */
  readonly contract?: object;
  readonly idempotency: IdempotencyPort;
  /** Signs list cursors; the same in every instance of the service. */
  readonly cursorKey: string | Buffer;
  readonly logger: AccessLogger & Pick<Logger, 'error'>;
  /** Checks each answer against its declared schema and fails the request otherwise; for tests. */
  readonly checkAnswers?: boolean;
}

export interface AppParts extends AppOptions {
  readonly family: Family;
  readonly compile: Compile;
}

export interface Answering {
  readonly id: string;
  readonly isRoutine: boolean;
  reply(exchange: Exchange, params: Readonly<Record<string, string>>): Promise<Reply>;
  fault(fault: Fault): Reply;
}

const NO_BODY = Buffer.alloc(0);

/** How long a gateway may share the answer, in milliseconds: in family B per host, with an API key per institution. */
export const SHARED_MS_HEADER = 'x-internal-keep';

/** The service knows the session that the request names: a token alone may be invented. Between it and the gateway. */
export const KNOWN_SESSION_HEADER = 'x-internal-session';

/** Whose point of sale the request names: the name alone may be invented. Between service and gateway. */
export const INSTITUTION_HEADER = 'x-internal-institution';

/** How old a public answer to an API key may be. Milliseconds. */
const PUBLIC_MS = 1_000;

const CREDENTIALS = ['Authorization', 'X-API-Key', 'Origin'];

export function prepare(operation: AnyOperation, parts: AppParts): (id: string) => Answering {
  const { family, compile, idempotency, logger, checkAnswers = false } = parts;
  const { handle, compressed, publicWithKey } = operation;
  const vary = [...(compressed ? ['Accept-Encoding'] : []), ...(publicWithKey ? CREDENTIALS : [])].join(', ');
  const readForm = compileForm(operation, {
    compile,
    unknownQuery: family.unknownQuery,
    operations: parts.operations,
  });
  const cursors = createCursorCodec(parts.cursorKey, operation.id);
  const outcomes = createOutcomes(family, operation);
  const once = createOnce(idempotency, outcomes, logger);
  const takesBody = TAKES_BODY.has(operation.method);
  // Identity was checked before the body is read, so only a service gets that far.
  const bodyLimit = operation.access === 'internal' ? INTERNAL_BODY_LIMIT_BYTES : BODY_LIMIT_BYTES;
  const takesKey = isIdempotent(operation);
  const check = checkAnswers ? createAnswerCheck(operation, compile) : undefined;
  const announcing = createAnnouncement(operation);
  const encode = createEncoder((data) => Buffer.from(formatJsonBody(data)));

  const run = async (
    { request, response }: Exchange,
    { caller, visitor, headers: more }: Admitted,
    params: Readonly<Record<string, string>>,
    raw: Buffer,
    ticket: Ticket | undefined,
    remember: Remember,
  ): Promise<Outcome> => {
    if (!handle) throw new Fault('not_implemented', 'This operation is declared but not implemented yet.');
    const url = request.url ?? '';
    const mark = url.indexOf('?');
    const form = readForm(request, params, mark < 0 ? '' : url.slice(mark + 1), raw);
    const header = (name: string): string | undefined => {
      const value = request.headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    };
    const answer = await handle({
      caller,
      visitor,
      ...form,
      idempotencyKey: ticket?.key,
      header,
      get closed() {
        return createCloseSignal(response);
      },
      ifMatch: (etag) => requireMatch(header('if-match'), etag),
      remember,
      cursor: {
        read: (cursor) => (cursor === undefined ? undefined : cursors.read(formatCursorOwner(caller), cursor)),
        write: (position) => cursors.write(formatCursorOwner(caller), position),
      },
    });
    if (!answer.stream && !answer.document) check?.(answer);
    return outcomes.ofAnswer(more ? { ...answer, headers: { ...more, ...answer.headers } } : answer);
  };

  const ticketFor = ({ request }: Exchange, admitted: Admitted, raw: Buffer): Ticket | undefined => {
    const key = request.headers['idempotency-key'];
    const scope = typeof key === 'string' ? family.idempotencyScope(admitted) : undefined;
    if (typeof key !== 'string' || scope === undefined) return undefined;
    const sender = { scope, restriction: restrictionText(admitted.caller), session: admitted.session };
    return createIdempotencyTicket(request, key, sender, raw, Date.now());
  };

  const replyTo = async ({ request }: Exchange, admitted: Admitted, outcome: Outcome): Promise<Reply> => {
    const { caller, session, institution } = admitted;
    const { status, body, stream } = outcome;
    if (stream) return { status, headers: outcome.headers, body: undefined, stream };
    const isRead = status === 200 && operation.method === 'get';
    const isShared = isRead && publicWithKey && caller.isPublic;
    // Never remembered with an answer, since they speak of this request.
    const headers: Headers = {
      ...outcome.headers,
      ...(isShared ? { [SHARED_MS_HEADER]: `${PUBLIC_MS}` } : {}),
      ...(session === undefined ? {} : { [KNOWN_SESSION_HEADER]: 'known' }),
      ...(institution === undefined ? {} : { [INSTITUTION_HEADER]: institution }),
    };
    if (isRead && headers.ETag !== undefined && isKnown(request.headers['if-none-match'], headers.ETag)) {
      const { 'Content-Type': _, ...remaining } = headers;
      return {
        status: 304,
        headers: vary ? { ...remaining, Vary: vary } : remaining,
        body: undefined,
      };
    }
    if (!isRead || !compressed) {
      const sent = Buffer.isBuffer(body) ? body : formatJsonBody(body);
      return { status, headers: publicWithKey ? { ...headers, Vary: vary } : headers, body: sent };
    }
    const encoded = await encode(body as object, request.headers['accept-encoding']);
    const coding = encoded.coding && { 'Content-Encoding': encoded.coding };
    return { status, headers: { ...headers, Vary: vary, ...coding }, body: encoded.body };
  };

  const fault = (thrown: Fault): Reply => {
    const { status, headers, body } = outcomes.ofFault(thrown);
    return announcing({ status, headers, body: formatJsonBody(body) });
  };

  return (id) => {
    const admit = createAdmission(operation, id, parts);
    return {
      id,
      isRoutine: operation.isRoutine ?? false,
      fault,
      reply: async (exchange, params) => {
        const admitted = await admit(exchange.request);
        const { caller } = admitted;
        exchange.client = caller.client ?? caller.service;
        if (takesBody) family.checkMediaType?.(exchange.request);
        const raw = takesBody ? await readBody(exchange.request, bodyLimit) : NO_BODY;
        const ticket = takesKey ? ticketFor(exchange, admitted, raw) : undefined;
        const outcome = ticket
          ? await once(ticket, (remember) => run(exchange, admitted, params, raw, ticket, remember))
          : await run(exchange, admitted, params, raw, undefined, rememberNothing);
        return announcing(await replyTo(exchange, admitted, outcome));
      },
    };
  };
}

/** What bounds the answers to a caller; a user whose role becomes the door's gets no answer from before. */
const restrictionText = (caller: Caller): string => {
  if (caller.user?.role === 'door') return JSON.stringify(['door', computeRestriction(caller)]);
  const { contacts, pointsOfSale, ownClient } = computeRestriction(caller);
  if (ownClient !== null) return JSON.stringify([contacts, pointsOfSale, ownClient]);
  return contacts || pointsOfSale ? JSON.stringify([contacts, pointsOfSale]) : '';
};
