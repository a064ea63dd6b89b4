import { createLogger as createWinston, format, transports } from 'winston';
import { getCurrentTrace, parseTraceparent } from './tracing.ts';

/** Texts in log lines. Paths and queries are not allowed: they contain user input. */
const texts = [
  'requestId',
  'institution',
  'operation',
  'method',
  /** Of the registry, of a driver or of the system. */
  'code',
  'reason',
  'peer',
  'upstream',
  'url',
  'queue',
  'messageId',
  'type',
  'event',
  'collection',
  'id',
  'order',
  'payment',
  /** A payment provider's id of a page. */
  'session',
  'part',
  'signal',
] as const;

const numbers = ['status', 'durationMs', 'attempt', 'count', 'waitMs'] as const;

/** Other fields are dropped, so that no token, secret, email or body gets into a log by accident. */
export interface LogFields
  extends Partial<Readonly<Record<(typeof texts)[number], string>>>,
    Partial<Readonly<Record<(typeof numbers)[number], number>>> {
  readonly client?: string | null;
  /** Logged with name, message and stack, in which secrets and emails are masked. */
  readonly error?: unknown;
}

const allowed: ReadonlySet<string> = new Set([...texts, ...numbers, 'client', 'error']);

const masks: readonly (readonly [RegExp, string])[] = [
  // Internationalised ones, too (RFC 6531). Cut, so that a long text takes no quadratic time.
  [/[\p{L}\p{M}\p{N}_.+-]{1,254}@[\p{L}\p{M}\p{N}_-]+(?:\.[\p{L}\p{M}\p{N}_-]+)+/gu, '(email)'],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, '(token)'],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, '$1 (secret)'],
  [/:\/\/[^/@\s]+@/g, '://(secret)@'],
  // Keys of payment providers, and secrets of webhooks.
  [/\b(?:[sr]k_(?:test|live|simulated)|whsec)_[\w+/=-]+/g, '(secret)'],
];

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export const logLevels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

/** Each line carries time, service and the current request's ids. The message is a fixed text without data. */
export type Logger = Readonly<Record<LogLevel, (message: string, fields?: LogFields) => void>>;

interface LoggerOptions {
  readonly service: string;
  /** The least important level that is written; default info. */
  readonly level?: LogLevel;
  /** Human-readable lines instead of JSON; default: when the output is a terminal. */
  readonly pretty?: boolean;
  /** Where lines go (without their line end); default: standard output. */
  readonly write?: (line: string) => void;
}

export function createLogger(options: LoggerOptions): Logger {
  const { service, level = 'info', pretty = process.stdout.isTTY === true, write } = options;
  const line = format.printf(({ level: name, message, fields }) => {
    const trace = getCurrentTrace();
    const entry = {
      time: new Date().toISOString(),
      level: name,
      service,
      message: maskSecrets(String(message)),
      ...(trace ? { requestId: trace.requestId, traceId: parseTraceparent(trace.traceparent)?.traceId } : {}),
      ...allowedFields((fields as object | undefined) ?? {}, name),
    };
    return pretty ? prettyLine(entry) : JSON.stringify(entry);
  });
  const console = new transports.Console({
    log: (info: Record<symbol, string>, next: () => void) => {
      const text = info[Symbol.for('message')] ?? '';
      if (write) write(text);
      else process.stdout.write(`${text}\n`);
      next();
    },
  });
  const winston = createWinston({ level, format: line, transports: [console] });
  const at = (name: LogLevel) => (message: string, fields?: LogFields) => {
    // winston would create the whole entry before it discards it.
    if (logLevels.indexOf(name) >= logLevels.indexOf(level)) winston.log(name, message, { fields });
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

const maskSecrets = (text: string): string =>
  masks.reduce((result, [pattern, replacement]) => result.replace(pattern, replacement), text);

const allowedFields = (fields: object, level: string): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([key, value]) => allowed.has(key) && value !== undefined)
      .map(([key, value]) => {
        if (key === 'error') return [key, plainError(value, level === 'warn' && isOfSurroundings(value))];
        return [key, typeof value === 'string' ? maskSecrets(value) : value];
      }),
  );

const plainError = (error: unknown, isExplained: boolean): object => {
  // Not instanceof: errors of another realm are errors, too.
  if (typeof error !== 'object' || error === null || !('message' in error))
    return { message: maskSecrets(String(error)) };
  const { name, message, stack, cause } = error as Error;
  return {
    name,
    message: maskSecrets(message),
    ...(stack === undefined || isExplained ? {} : { stack: maskSecrets(stack) }),
    ...(cause === undefined ? {} : { cause: plainError(cause, isExplained) }),
  };
};

/** Errors of what stands around the process, such as a server that starts later: their stack says nothing. */
const isOfSurroundings = (error: unknown): boolean => {
  const { code, name, cause } = (error ?? {}) as { readonly code?: unknown; readonly name?: string; cause?: unknown };
  if (typeof code === 'string' && /^E(?!RR_)[A-Z0-9_]+$/.test(code)) return true;
  if (name === 'StoreUnavailable' || name === 'TimeoutError') return true;
  return cause !== undefined && isOfSurroundings(cause);
};

const prettyLine = (line: Record<string, unknown>): string => {
  const { time, level, service, message, error, requestId, traceId: _traceId, ...rest } = line;
  const fields = Object.entries({ ...rest, requestId }).filter(([, value]) => value !== undefined && value !== null);
  const tail = fields.map(([key, value]) => ` ${key}=${String(value)}`).join('');
  const { stack } = (error ?? {}) as { stack?: string };
  const trouble =
    stack === undefined
      ? reasonsOf(error).map((one) => ` error=${one}`)
      : [`\n    ${stack.replaceAll('\n', '\n    ')}`];
  return `${String(time).slice(11, 23)} ${String(level).padEnd(5)} ${String(service)}: ${String(message)}${tail}${trouble.join('')}`;
};

const reasonsOf = (error: unknown): string[] => {
  if (error === undefined || error === null) return [];
  const { message, cause } = error as { message?: string; cause?: unknown };
  return [[String(message), ...reasonsOf(cause)].join(': ').replaceAll('\n', ' ')];
};
