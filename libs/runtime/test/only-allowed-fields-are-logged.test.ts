import { describe, expect, test } from '@jest/globals';
import { createLogger, runWithTrace } from '../src/index.ts';

const logged = (act: (logger: ReturnType<typeof createLogger>) => void, pretty = false): string => {
  const lines: string[] = [];
  act(createLogger({ service: 'contacts', pretty, write: (line) => lines.push(line) }));
  return lines.join('\n');
};

describe('a log line', () => {
  test('is JSON with time, level, service, message and the ids of the request', () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const line = logged((logger) => {
      runWithTrace({ requestId: 'r-1', traceparent }, () => logger.info('request', { status: 201, durationMs: 3 }));
    });
    expect(JSON.parse(line)).toEqual({
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      level: 'info',
      service: 'contacts',
      message: 'request',
      requestId: 'r-1',
      traceId: '0af7651916cd43dd8448eb211c80319c',
      status: 201,
      durationMs: 3,
    });
  });

  test('drops fields that are not on the list', () => {
    const sneaked = { status: 200, authorization: 'Bearer x', email: 'a@example.org', body: {} };
    expect(Object.keys(JSON.parse(logged((logger) => logger.info('request', sneaked))))).toEqual([
      'time',
      'level',
      'service',
      'message',
      'status',
    ]);
  });

  test('masks emails, tokens and passwords in errors', () => {
    const error = new Error('dup key ada@example.org at mongodb://user:hunter2@db, Bearer abc.def, tést@exämple.org');
    const line = logged((logger) => logger.error('failed', { error }));
    expect(JSON.parse(line).error.message).toBe('dup key (email) at mongodb://(secret)@db, Bearer (secret), (email)');
    expect(line).not.toMatch(/ada@|hunter2|abc\.def|tést|exämple/);
  });

  test('is readable in a terminal', () => {
    expect(logged((logger) => logger.warn('slow', { upstream: 'catalog', waitMs: 5 }), true)).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} warn {2}contacts: slow upstream=catalog waitMs=5$/,
    );
  });
});
