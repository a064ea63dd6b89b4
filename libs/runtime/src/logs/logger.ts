// Logs: one JSON line per entry, with permitted fields only.

import { createLogger as createWinston, format, transports } from 'winston';
import { currentTrace, parseTraceparent } from '../tracing/trace.ts';
import { allowedFields, type LogFields, masked } from './fields.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Every level, the most verbose first; for the LOG_LEVEL setting. */
export const logLevels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

/**
 * Writes log lines; each carries time, service and the current request's ids. The message is a fixed text without data.
 */
export type Logger = Readonly<Record<LogLevel, (message: string, fields?: LogFields) => void>>;

interface LoggerOptions {
  /** The service that logs. */
  readonly service: string;
  /** The least important level that is written; default info. */
  readonly level?: LogLevel;
  /** Human-readable lines instead of JSON; default: when the output is a terminal. */
  readonly pretty?: boolean;
  /** Where lines go (without their line end); default: standard output. */
  readonly write?: (line: string) => void;
}

/** A human-readable line: time, level, service, message, then the fields; a stack on separate lines. */
const prettyLine = (line: Record<string, unknown>): string => {
  const { time, level, service, message, error, requestId, traceId: _traceId, ...rest } = line;
  const fields = Object.entries({ ...rest, requestId }).filter(([, value]) => value !== undefined && value !== null);
  const tail = fields.map(([key, value]) => ` ${key}=${String(value)}`).join('');
  const { stack, message: reason } = (error ?? {}) as { stack?: string; message?: string };
  const trouble = error === undefined ? '' : `\n    ${(stack ?? String(reason)).replaceAll('\n', '\n    ')}`;
  return `${String(time).slice(11, 23)} ${String(level).padEnd(5)} ${String(service)}: ${String(message)}${tail}${trouble}`;
};

/** Creates a program's logger: JSON lines, or readable ones in a terminal, with allow-listed fields only. */
export const createLogger = (options: LoggerOptions): Logger => {
  const { service, level = 'info', pretty = process.stdout.isTTY === true, write } = options;
  const line = format.printf(({ level: name, message, fields }) => {
    const trace = currentTrace();
    const entry = {
      time: new Date().toISOString(),
      level: name,
      service,
      message: masked(String(message)),
      ...(trace ? { requestId: trace.requestId, traceId: parseTraceparent(trace.traceparent)?.traceId } : {}),
      ...allowedFields((fields as object | undefined) ?? {}),
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
};
