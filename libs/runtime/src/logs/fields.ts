/** Texts in log lines. Paths and queries are not allowed: they contain user input. */
const texts = [
  'requestId',
  'institution',
  'operation',
  'method',
  /** Of the registry, of a driver or of the system. */
  'code',
  'reason',
  /** The address of a connection. */
  'peer',
  'upstream',
  'url',
  'queue',
  'messageId',
  'type',
  'event',
  'collection',
  'id',
  'part',
  'signal',
] as const;

const numbers = ['status', 'durationMs', 'attempt', 'count', 'waitMs'] as const;

/**
 * The fields that a log line may have beside its message. Others are dropped, so that no token, secret, email or body
 * gets into a log by accident.
 */
export interface LogFields
  extends Partial<Readonly<Record<(typeof texts)[number], string>>>,
    Partial<Readonly<Record<(typeof numbers)[number], number>>> {
  /** The client's id. */
  readonly client?: string | null;
  /** Logged with name, message and stack, in which secrets and emails are masked. */
  readonly error?: unknown;
}

const allowed: ReadonlySet<string> = new Set([...texts, ...numbers, 'client', 'error']);

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
