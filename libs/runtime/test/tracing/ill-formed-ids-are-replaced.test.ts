import { describe, expect, test } from '@jest/globals';
import {
  currentTrace,
  parseTraceparent,
  requestIdFrom,
  runWithTrace,
  traceFrom,
  traceHeaders,
} from '../../src/index.ts';

const good = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('the trace of a request', () => {
  test('adopts well-formed ids', () => {
    expect(traceFrom({ 'x-request-id': 'a.B_9-', traceparent: good })).toEqual({
      requestId: 'a.B_9-',
      traceparent: good,
    });
  });

  test.each(['', 'a b', 'ü', 'x'.repeat(129), 'a,b', undefined])('X-Request-Id %j is replaced', (header) => {
    expect(requestIdFrom(header)).toMatch(/^[0-9a-f-]{36}$/);
  });

  test.each([
    good.toUpperCase(),
    good.replace(/^00/, 'ff'),
    `${good}-more`,
    '00-00000000000000000000000000000000-b7ad6b7169203331-01',
    '00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01',
    'nonsense',
  ])('traceparent %s is replaced', (header) => {
    expect(parseTraceparent(header)).toBeUndefined();
    expect(parseTraceparent(traceFrom({ traceparent: header }).traceparent)).toBeDefined();
  });

  test('a later version may carry more', () => {
    expect(parseTraceparent(`${good.replace(/^00/, '01')}-more`)).toMatchObject({
      traceId: '0af7651916cd43dd8448eb211c80319c',
    });
  });

  test('belongs to everything that the call awaits, and to nothing else', async () => {
    const trace = { requestId: 'r', traceparent: good };
    await runWithTrace(trace, async () => {
      await new Promise(setImmediate);
      expect(currentTrace()).toBe(trace);
      expect(traceHeaders()).toEqual({ 'x-request-id': 'r', traceparent: good });
    });
    expect(currentTrace()).toBeUndefined();
    expect(traceHeaders()).toEqual({});
  });
});
