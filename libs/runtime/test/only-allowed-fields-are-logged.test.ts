import { describe, expect, test } from '@jest/globals';
import { createLogger, type Logger, runWithTrace } from '../src/index.ts';

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

  test('has no stack where a warning is of a server that does not answer, and one everywhere else', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:8081'), { code: 'ECONNREFUSED' });
    const failed = new TypeError('fetch failed', { cause: refused });
    const wrong = Object.assign(new TypeError('no string'), { code: 'ERR_INVALID_ARG_TYPE' });
    const stacksOf = (act: (logger: Logger) => void): boolean[] =>
      logged(act)
        .split('\n')
        .map((line) => 'stack' in JSON.parse(line).error);
    expect(
      stacksOf((logger) => {
        logger.warn('the description of a service cannot be read', { error: failed });
        logger.warn('the description of a service cannot be read', { error: wrong });
        logger.error('a request failed', { error: failed });
      }),
    ).toEqual([false, true, true]);
    const line = logged((logger) => logger.warn('a service is away', { upstream: 'orders', error: failed }), true);
    expect(line).toMatch(
      /a service is away upstream=orders error=fetch failed: connect ECONNREFUSED 127\.0\.0\.1:8081$/,
    );
  });

  test('is readable in a terminal', () => {
    expect(logged((logger) => logger.warn('slow', { upstream: 'catalog', waitMs: 5 }), true)).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} warn {2}contacts: slow upstream=catalog waitMs=5$/,
    );
  });
});
