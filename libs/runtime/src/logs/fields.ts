/**
 * The fields that a log line may have beside its message. Others are dropped, so that no token, secret, email or body
 * gets into a log by accident. Paths and queries are not allowed: they contain user input.
 */
export interface LogFields {
  readonly requestId?: string;
  readonly traceId?: string;
  readonly institution?: string;
  /** The client's id. */
  readonly client?: string | null;
  readonly operation?: string;
  readonly method?: string;
  /** A path template such as `/svc/v3/contacts/individuals/{contactNumber}`, never the path itself. */
  readonly route?: string;
  readonly status?: number;
  readonly durationMs?: number;
  /** A code of the registry, of a driver or of the system. */
  readonly code?: string;
  readonly reason?: string;
  /** The peer address of a connection. */
  readonly peer?: string;
  readonly upstream?: string;
  readonly url?: string;
  readonly port?: number;
  readonly queue?: string;
  readonly messageId?: string;
  readonly type?: string;
  readonly attempt?: number;
  readonly event?: string;
  readonly collection?: string;
  readonly id?: string;
  readonly kid?: string;
  readonly scope?: string;
  readonly part?: string;
  readonly signal?: string;
  readonly count?: number;
  readonly bytes?: number;
  readonly waitMs?: number;
  /** Logged with name, message and stack, in which secrets and emails are masked. */
  readonly error?: unknown;
}

const allowed: ReadonlySet<string> = new Set<keyof LogFields>([
  'requestId',
  'traceId',
  'institution',
  'client',
  'operation',
  'method',
  'route',
  'status',
  'durationMs',
  'code',
  'reason',
  'peer',
  'upstream',
  'url',
  'port',
  'queue',
  'messageId',
  'type',
  'attempt',
  'event',
  'collection',
  'id',
  'kid',
  'scope',
  'part',
  'signal',
  'count',
  'bytes',
  'waitMs',
  'error',
]);

const masks: readonly (readonly [RegExp, string])[] = [
  // Internationalised ones, too (RFC 6531). Longer ones than any valid one are cut, so that a long text takes no
  // quadratic time.
  [/[\p{L}\p{M}\p{N}_.+-]{1,254}@[\p{L}\p{M}\p{N}_-]+(?:\.[\p{L}\p{M}\p{N}_-]+)+/gu, '(email)'],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, '(token)'],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, '$1 (secret)'],
  [/:\/\/[^/@\s]+@/g, '://(secret)@'],
];

/** The text with emails, tokens and passwords masked. */
export const masked = (text: string): string =>
  masks.reduce((result, [pattern, replacement]) => result.replace(pattern, replacement), text);

const plainError = (error: unknown): object => {
  // Not instanceof: errors of another realm are errors, too.
  if (typeof error !== 'object' || error === null || !('message' in error)) return { message: masked(String(error)) };
  const { name, message, stack, cause } = error as Error;
  return {
    name,
    message: masked(message),
    ...(stack === undefined ? {} : { stack: masked(stack) }),
    ...(cause === undefined ? {} : { cause: plainError(cause) }),
  };
};

/** The allowed fields, as JSON values. */
export const allowedFields = (fields: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([key, value]) => allowed.has(key) && value !== undefined)
      .map(([key, value]) => {
        if (key === 'error') return [key, plainError(value)];
        return [key, typeof value === 'string' ? masked(value) : value];
      }),
  );
