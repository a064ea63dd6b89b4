import type { Code, Fault, PosCode } from '@boxoffice/envelope';
import type { Caller } from '@boxoffice/identity';
import type { Static, TObject, TProperties, TSchema } from 'typebox';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/**
 * Access in family B: `visitor` is anyone, with or without a session; `newcomer` too, and an ended session counts as
 * none; `session` needs a session; `login` needs a logged-in session; `link` has the
 * token of an order link, which the handler checks, and an ended session counts as none; `owner` needs a session, or as
 * `link` that token.
 */
export type VisitorAccess = 'visitor' | 'newcomer' | 'session' | 'login' | 'link' | 'owner';

/** The permission of a token: a domain, or its sensitive part, and the action. */
export type Scope = `${string}:${'read' | 'write'}`;

/**
 * The access of an operation: the scope that the token must hold; `token`: any access token, whatever its scopes;
 * `public`; `internal`: other services only, never through the gateway; or, in family B, a visitor of a point of sale.
 */
export type Access = Scope | 'token' | 'public' | 'internal' | VisitorAccess;

/** A role whose users may use some operations only: those that name it in `admits`. */
export type RestrictedRole = 'customer' | 'door';

/** A code of either family's table. */
export type AnyCode = Code | PosCode;

/** The announced end of an operation, as dates (`2027-03-01`); docs/guides/changes.md says what to use instead. */
export interface Deprecation {
  readonly since: string;
  /** It is served until then at least. */
  readonly sunset: string;
}

/** The open response of an operation that streams. */
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
  /**
   * A strong validator without quotes (a document's version, a hash); makes ETag and answers If-None-Match with 304.
   */
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

/**
 * What the store's writes need to store the answer in the same write (structurally the store's `IdempotencyRecord`).
 */
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

/** A validated request, typed by the operation's schemas. */
export interface Request<Params, QueryParameters, Body, Visitor = unknown> {
  readonly caller: Caller;
  /** The `visitor` of the app's `admit`, for operations for visitors; undefined elsewhere. */
  readonly visitor: Visitor;
  readonly params: Params;
  readonly query: QueryParameters;
  readonly body: Body;
  /** One header's value; names in lower case. */
  header(name: string): string | undefined;
  /** Aborted once the answer was sent, or the client has disconnected before. */
  readonly closed: AbortSignal;
  /**
   * Call inside `update`, before the state is checked: throws `precondition_failed` unless the request's If-Match is
   * absent or names this validator (RFC 9110, 13.1.1).
   */
  ifMatch(etag: string): void;
  /**
   * Call inside `update`, after `ifMatch`, with the resource as it is shown: throws `semantically_invalid` if a
   * read-only member of the body differs from it, and names the operation that changes it. `version`, `createdAt` and
   * `updatedAt` may differ.
   */
  unchanged(shown: object): void;
  /**
   * The idempotency record with which a repeat of this request gets the same answer: pass it to the write that is the
   * request's effect. Undefined without an Idempotency-Key. `answer` receives the written document and must return what
   * the handler returns.
   */
  remember<Document>(answer: (document: Document) => Answer): IdempotencyRecord<Document> | undefined;
  /** A name for the request's Idempotency-Key, bound to its caller: for effects elsewhere. Undefined without a key. */
  readonly idempotencyKey: string | undefined;
  /**
   * Opaque, signed list cursors, bound to this operation and caller: a foreign or changed one is `invalid_parameter`.
   */
  readonly cursor: { read(cursor: string | undefined): Position | undefined; write(after: Position): string };
}

type Values<Properties extends TProperties> = Static<TObject<Properties>>;

/** The data of any answer that the operation declares. */
type DataOf<Answers> = Answers[keyof Answers] extends infer Schema
  ? Schema extends TSchema
    ? Static<Schema>
    : never
  : never;

/**
 * One operation: the single declaration of its parameters, answers and access. See
 * services/contacts/src/contacts/routes.ts.
 */
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
  /**
   * Other paths of it, with operationIds of their own in the description (`…Unprefixed`, in family B `…Experimental`).
   */
  readonly aliases?: readonly string[];
  readonly access: Access;
  /**
   * Whether it is public, too: with an API key and without a token (`caller.isPublic`) it answers public data. The
   * answers then declare both forms, and Vary by the credentials.
   */
  readonly publicWithKey?: boolean;
  /** What it does, in the third person: "Creates an individual". */
  readonly summary: string;
  readonly description?: string;
  /** That it will go: described as deprecated, and announced by every answer to it. */
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
    /** Members beside the envelope. */
    readonly members?: object;
  };
  /**
   * Read-only members at the top of the body, as a GET returned them: accepted if equal to those passed to `unchanged`.
   * Deeper ones are marked `readOnly` in the body's schema.
   */
  readonly readOnly?: ReadOnly;
  /**
   * The handler checks each of the body's `items` with `createItemCheck`: a malformed one does not refuse the others.
   */
  readonly checksItems?: boolean;
  /** A body is needed although each of its members is optional: the handler refuses one without any. */
  readonly needsBody?: boolean;
  /**
   * The body is a form (`application/x-www-form-urlencoded`) of texts: faults are those of parameters, unknown fields
   * are ignored.
   */
  readonly form?: boolean;
  /**
   * Constraints of a form's fields for the description only: the handler checks them, with codes of its own (RFC 6749,
   * 5.2).
   */
  readonly described?: Readonly<Record<string, object>>;
  /** The answer is `data` without an envelope (documents defined by another standard). */
  readonly bare?: boolean;
  /**
   * The media types of its 200, which is a document instead of JSON: `data` of the answers and of their example is its
   * description only.
   */
  readonly documents?: readonly string[];
  /** Schemas of the members of its answers and errors beside the envelope's own. */
  readonly members?: { readonly answer?: TProperties; readonly error?: TProperties };
  /** Members of this operation's errors beside the envelope, where another standard requires them (RFC 6749, 5.2). */
  readonly onFault?: (fault: Fault) => {
    readonly members?: object;
    readonly headers?: Readonly<Record<string, string>>;
  };
  /** When its 401 carries `WWW-Authenticate`, for the description; default: always, with a challenge of RFC 6750. */
  readonly challenge?: string;
  /**
   * Its successful requests are logged at level `debug`: those that callers send every few seconds, or for each of
   * theirs.
   */
  readonly isRoutine?: boolean;
  /** Its answers carry an ETag (documents it, and 304 for a GET). */
  readonly etag?: boolean;
  /** Headers that its 2xx answers carry beside those that all do, by their names in the family's description. */
  readonly answerHeaders?: readonly string[];
  /**
   * Compressed where the client accepts it. The same `data` object is serialised and compressed once, so it must not
   * change.
   */
  readonly compressed?: boolean;
  /** Honours If-Match (and documents 412). */
  readonly conditional?: boolean;
  /** Scopes that the token must hold beside that of `access`. */
  readonly alsoNeeds?: readonly Scope[];
  /**
   * Restricted roles whose users may use it; default: none. A `customer` may use no other operation with a scope, the
   * `door` no other write, and no other document. What its users see of the data is bounded in the service.
   */
  readonly admits?: readonly RestrictedRole[];
  /**
   * The media type, with an example, in which it also answers 200, without an end of its own (`stream` of the answer).
   * The gateway ends such a response when the token expires, is revoked or loses a scope.
   */
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

/** Makes `operation` for an app whose `admit` answers this type of visitor. */
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

/** Declares an operation; the handler's types come from the schemas. */
export const operation = createOperationBuilder<unknown>();

/** An operation without its static types, for the router. */
export type AnyOperation = Operation<TProperties, TProperties, TSchema, Readonly<Record<number, TSchema>>>;

/** 200 with a resource; `etag` where it has one. */
export function ok<Data>(data: Data, more: Omit<Answer, 'status' | 'data'> = {}): Answer<Data> {
  return {
    status: 200,
    data,
    ...more,
  };
}

/** 201 with the new resource and its location. */
export function created<Data>(data: Data, location: string, more: Omit<Answer, 'status' | 'data'> = {}): Answer<Data> {
  return { status: 201, data, ...more, headers: { Location: location, ...more.headers } };
}
