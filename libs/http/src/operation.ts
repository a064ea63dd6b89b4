import type { Code, Fault, PosCode } from '@boxoffice/envelope';
import type { Caller } from '@boxoffice/identity';
import type { Static, TObject, TProperties, TSchema } from 'typebox';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/**
 * `newcomer` is a `visitor` whose ended session counts as none; `login` a logged-in `session`; `link` has the token of
 * an order link, which the handler checks, and an ended session counts as none; `owner` is `session` or `link`.
 */
export type VisitorAccess = 'visitor' | 'newcomer' | 'session' | 'login' | 'link' | 'owner';

export type Scope = `${string}:${'read' | 'write'}`;

/** `token`: any access token, whatever its scopes. `internal`: other services only, never through the gateway. */
export type Access = Scope | 'token' | 'public' | 'internal' | VisitorAccess;

/** A role whose users may use some operations only: those that name it in `admits`. */
export type RestrictedRole = 'customer' | 'door';

export type AnyCode = Code | PosCode;

/** The announced end of an operation, as dates (`2027-03-01`); docs/guides/changes.md says what to use instead. */
export interface Deprecation {
  readonly since: string;
  /** It is served until then at least. */
  readonly sunset: string;
}

export interface OpenStream {
  /** Sends text at once; false: the client reads more slowly than it is written. */
  write(text: string): boolean;
  /** The bytes that the client has not read yet. */
  readonly waitingBytes: number;
  end(): void;
  /** Calls the listener once, when the response has ended or the client has disconnected. */
  onClose(listener: () => void): void;
}

/** The result of a handler; the router adds the envelope around `data`. */
export interface Answer<Data = unknown> {
  readonly status: number;
  readonly data: Data;
  readonly headers?: Readonly<Record<string, string>>;
  /** A strong validator without quotes; makes ETag and answers If-None-Match with 304. */
  readonly etag?: string;
  /** Ids of the persons in the answer: erasing one deletes stored answers. */
  readonly subjects?: readonly string[];
  /** Members beside the envelope's own, where another standard wants them at the top level (RFC 6749). */
  readonly members?: object;
  /** Writes the response, of the operation's `streams`, in the place of `data`. */
  readonly stream?: (open: OpenStream) => void;
  /** What is sent instead of `data`, bare: one of the operation's `documents`. */
  readonly document?: { readonly mediaType: string; readonly content: Buffer };
}

/** Stores the answer in the same write as its effect (structurally the store's `IdempotencyRecord`). */
export interface IdempotencyRecord<Document> {
  readonly key: string;
  readonly fingerprint: string;
  readonly expiresAt: number;
  answer(document: Document): {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: unknown;
    readonly subjects?: readonly string[];
  };
}

/** The end of a page: the value of the list's order, and the id that breaks ties. */
export interface Position {
  readonly value: string | number | boolean | null;
  readonly id: string;
  /** The field of the order, where one list has several orders. */
  readonly by?: string;
  /** `asOf` of the first page, ISO 8601 UTC. */
  readonly asOf?: string;
}

export interface Request<Params, QueryParameters, Body, Visitor = unknown> {
  readonly caller: Caller;
  readonly visitor: Visitor;
  readonly params: Params;
  readonly query: QueryParameters;
  readonly body: Body;
  /** Names in lower case. */
  header(name: string): string | undefined;
  /** Aborted once the answer was sent, or the client has disconnected before. */
  readonly closed: AbortSignal;
  /** Call inside `update`, before the state is checked. @throws Fault `precondition_failed` (RFC 9110, 13.1.1) */
  ifMatch(etag: string): void;
  /** Call after `ifMatch`, with the resource as shown. @throws Fault `semantically_invalid`: a read-only one differs */
  requireUnchanged(shown: object): void;
  /** Pass it to the write that is the request's effect; `answer` must return what the handler returns. */
  remember<Document>(answer: (document: Document) => Answer): IdempotencyRecord<Document> | undefined;
  /** A name for the request's Idempotency-Key, bound to its caller: for effects elsewhere. Undefined without a key. */
  readonly idempotencyKey: string | undefined;
  /** Opaque, signed, bound to this operation and caller: a foreign or changed one is `invalid_parameter`. */
  readonly cursor: { read(cursor: string | undefined): Position | undefined; write(after: Position): string };
}

type Values<Properties extends TProperties> = Static<TObject<Properties>>;

type DataOf<Answers> = Answers[keyof Answers] extends infer Schema
  ? Schema extends TSchema
    ? Static<Schema>
    : never
  : never;

/** The single declaration of parameters, answers and access. See services/contacts/src/contacts/routes.ts. */
export interface Operation<
  Params extends TProperties = TProperties,
  QueryParameters extends TProperties = TProperties,
  Body extends TSchema = TSchema,
  Answers extends Readonly<Record<number, TSchema>> = Readonly<Record<number, TSchema>>,
  Visitor = unknown,
> {
  /** The OpenAPI operationId, unique in the installation: lowerCamelCase verb and noun. */
  readonly id: string;
  readonly method: Method;
  /** From the gateway's root, with `{templates}`: `/svc/v3/contacts/individuals/{contactNumber}`. */
  readonly path: string;
  /** Other paths, with operationIds of their own (`…Unprefixed`, in family B `…Experimental`). */
  readonly aliases?: readonly string[];
  readonly access: Access;
  /** With an API key and no token (`caller.isPublic`) it answers public data; the answers declare both forms. */
  readonly publicWithKey?: boolean;
  /** What it does, in the third person: "Creates an individual". */
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: Deprecation;
  readonly params?: Params;
  readonly query?: QueryParameters;
  readonly body?: Body;
  /** JSON Schemas of `data`, by 2xx status. */
  readonly answers: Answers;
  /** Codes beyond those that follow from its shape (validation, 401, 403, 404 with params, 5xx…). */
  readonly errors?: readonly AnyCode[];
  /** Answers to an error that carry data (only `contact_duplicate_email`): schema of `data`, by code. */
  readonly errorData?: Readonly<Partial<Record<Code, TSchema>>>;
  /** At least one example of the request's body (if it has one) and of the answer's data. */
  readonly example: {
    readonly params?: Values<Params>;
    readonly query?: Partial<Values<QueryParameters>>;
    readonly body?: Static<Body>;
    readonly answer: unknown;
    /** The data of errors that carry some; default: the answer's. */
    readonly errorData?: Readonly<Partial<Record<Code, unknown>>>;
    readonly members?: object;
  };
  /** Members at the top of the body, accepted as a GET returned them. Deeper ones are `readOnly` in its schema. */
  readonly readOnly?: ReadOnly;
  /** The handler checks each of the `items` with `createItemCheck`: a malformed one does not refuse the others. */
  readonly checksItems?: boolean;
  /** A body is needed although each of its members is optional: the handler refuses one without any. */
  readonly needsBody?: boolean;
  /** The body is a form of texts: faults are those of parameters, unknown fields are ignored. */
  readonly form?: boolean;
  /** Constraints for the description only: the handler checks them, with codes of its own (RFC 6749, 5.2). */
  readonly described?: Readonly<Record<string, object>>;
  /** The handler gets the bytes of the body, a Buffer, as they are: somebody else has signed them. */
  readonly raw?: boolean;
  /** The answer is `data` without an envelope (documents defined by another standard). */
  readonly bare?: boolean;
  /** The media types of its 200, a document instead of JSON: `data` and its example are the description only. */
  readonly documents?: readonly string[];
  readonly members?: { readonly answer?: TProperties; readonly error?: TProperties };
  /** Members of this operation's errors beside the envelope, where another standard requires them (RFC 6749, 5.2). */
  readonly onFault?: (fault: Fault) => {
    readonly members?: object;
    readonly headers?: Readonly<Record<string, string>>;
  };
  /** When its 401 carries `WWW-Authenticate`, for the description; default: always, with a challenge of RFC 6750. */
  readonly challenge?: string;
  /** Logged at level `debug` if it succeeds: callers send it every few seconds, or for each of their requests. */
  readonly isRoutine?: boolean;
  /** Its answers carry an ETag (documents it, and 304 for a GET). */
  readonly etag?: boolean;
  /** Headers that its 2xx answers carry beside those that all do, by their names in the family's description. */
  readonly answerHeaders?: readonly string[];
  /** The same `data` object is serialised and compressed once, so it must not change. */
  readonly compressed?: boolean;
  /** Honours If-Match (and documents 412). */
  readonly conditional?: boolean;
  /** Scopes that the token must hold beside that of `access`. */
  readonly alsoNeeds?: readonly Scope[];
  /** Default: none. A `customer` may use no other operation with a scope, the `door` no other write and no document. */
  readonly admits?: readonly RestrictedRole[];
  /** It also answers 200 in this media type, without an end; the gateway ends that with the token or the scope. */
  readonly streams?: { readonly mediaType: string; readonly example: string };
  /** Seconds that it may take to begin its answer, where that is longer than the gateway's limit. */
  readonly answersWithin?: number;
  /** Does not take Idempotency-Key although it is a POST or PATCH (`/auth/*`). */
  readonly withoutIdempotency?: boolean;
  /** Declared without a handler: answers 501 `not_implemented`. */
  readonly handle?: (
    request: Request<Values<Params>, Values<QueryParameters>, Static<Body>, Visitor>,
  ) => Promise<Answer<DataOf<Answers>>> | Answer<DataOf<Answers>>;
}

/** The scopes that the operation's token must hold, all of them; none for other kinds of access. */
export function listNeededScopes({
  access,
  alsoNeeds = [],
}: Pick<AnyOperation, 'access' | 'alsoNeeds'>): readonly string[] {
  return access.includes(':') ? [access, ...alsoNeeds] : alsoNeeds;
}

/** Members of a body that only other operations change: how a GET shows them, and the ids of these operations. */
export type ReadOnly = Readonly<Record<string, { readonly shown: TSchema; readonly changedBy: readonly string[] }>>;

export function createOperationBuilder<Visitor>() {
  return <
    const Params extends TProperties = Record<never, never>,
    const QueryParameters extends TProperties = Record<never, never>,
    const Body extends TSchema = TSchema,
    const Answers extends Readonly<Record<number, TSchema>> = Readonly<Record<number, TSchema>>,
  >(
    declared: Operation<Params, QueryParameters, Body, Answers, Visitor>,
  ): AnyOperation => declared as AnyOperation;
}

export const operation = createOperationBuilder<unknown>();

export type AnyOperation = Operation<TProperties, TProperties, TSchema, Readonly<Record<number, TSchema>>>;

export function ok<Data>(data: Data, more: Omit<Answer, 'status' | 'data'> = {}): Answer<Data> {
  return {
    status: 200,
    data,
    ...more,
  };
}

export function created<Data>(data: Data, location: string, more: Omit<Answer, 'status' | 'data'> = {}): Answer<Data> {
  return { status: 201, data, ...more, headers: { Location: location, ...more.headers } };
}
