import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { familyOf, readTarget } from '../../src/exchange/target.ts';
import { rawExchange } from '../fixtures/http.ts';
import { type Installation, startInstallation } from '../fixtures/installation.ts';

let its: Installation;
beforeAll(async () => {
  its = await startInstallation({ trustProxy: ['127.0.0.0/8'] });
});
afterAll(() => its.close());

/** The gateway's response to a request line, through the plain listener, as a trusted proxy sends it. */
const ask = async (target: string, headers = '', token = its.authorizer.token(['contacts:read'])): Promise<string> => {
  const lines = `Host: x\r\nX-Forwarded-Proto: https\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\n${headers}`;
  return rawExchange(its.gateway.httpPort, Buffer.from(`GET ${target} HTTP/1.1\r\n${lines}\r\n`, 'latin1'));
};

const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);

describe('the path that a service receives', () => {
  test.each([
    ['/svc/v3/contacts/individuals/C%31', '/svc/v3/contacts/individuals/C1'],
    ['/%73vc/v3/contacts/individuals/%7e', '/svc/v3/contacts/individuals/~'],
    ['/svc/v3/contacts/individuals/%c3%a9', '/svc/v3/contacts/individuals/%C3%A9'],
    ['/svc/v3/contacts/individuals/a%20b%2B?q=%2e%2e/x&y=a+b', '/svc/v3/contacts/individuals/a%20b+?q=%2e%2e/x&y=a+b'],
    ['/svc/v3/contacts/individuals/%252e%252e', '/svc/v3/contacts/individuals/%252e%252e'],
    ['http://elsewhere.example/svc/v3/contacts/individuals/C1', '/svc/v3/contacts/individuals/C1'],
    ['HTTPS://elsewhere.example:1/svc/v3/contacts/individuals?limit=1', '/svc/v3/contacts/individuals?limit=1'],
  ])('%s is %s', async (sent, seen) => {
    expect(statusOf(await ask(sent))).toBe(200);
    expect(its.contacts.received.at(-1)?.url).toBe(seen);
  });
});

describe('paths that are refused', () => {
  test.each([
    ['/svc/v3/contacts/../contacts/individuals', 404],
    ['/svc/v3/contacts/individuals/..', 404],
    ['/svc/v3/contacts/individuals/.', 404],
    ['/svc/v3/contacts/individuals/%2e%2E/individuals', 404],
    ['/svc/v3/contacts/individuals/.%2e', 404],
    ['/svc/v3/contacts/individuals/x%2f..%2f..%2finternal', 404],
    ['/svc/v3/contacts%2Findividuals', 404],
    ['//svc/v3/contacts/individuals', 404],
    ['/svc/v3//contacts/individuals', 404],
    ['/svc/v3/contacts/individuals/', 404],
    ['/SVC/v3/contacts/individuals', 404],
    ['/svc/v3/contacts/individuals/x%5c..', 400],
    ['/svc/v3/contacts/individuals/x\\..', 400],
    ['/svc/v3/contacts/individuals/%00', 400],
    ['/svc/v3/contacts/individuals/%0d%0aX:%20y', 400],
    ['/svc/v3/contacts/individuals/%c2%85', 400],
    ['/svc/v3/contacts/individuals/%ff', 400],
    ['/svc/v3/contacts/individuals/%c0%ae', 400],
    ['/svc/v3/contacts/individuals/%', 400],
    ['/svc/v3/contacts/individuals/%zz', 400],
    ['/svc/v3/contacts/individuals/\xe9', 400],
    ['/svc/v3/contacts/individuals#x', 400],
    ['ftp://x/svc/v3/contacts/individuals', 400],
    ['*', 404],
  ])('%s is %i', async (sent, status) => {
    const before = its.contacts.received.length;
    const answer = await ask(sent);
    expect(statusOf(answer)).toBe(status);
    expect(answer).toMatch(/"status":"(not_found|bad_request)"/);
    expect(its.contacts.received.length).toBe(before);
  });

  test('are refused in the shape of family B, too', async () => {
    expect(await ask('/tnwr/v1/products/%ff')).toContain('"errorCode":"bad_request"');
    expect(await ask('http://x/tnwr/v1/products/..')).toContain('"errorCode":"not_found"');
    expect(await ask('//tnwr/v1/products')).toContain('"errorCode":"not_found"');
  });
});

test('a canonical path is its own canonical form', () => {
  for (const path of ['/a', '/a/b.c', '/a/%25', '/a/%C3%A9', "/a/!$&'()*+,;=:@-._~", '/']) {
    expect(readTarget(`${path}?q`)).toEqual({ path, query: '?q' });
  }
});

test('the family is derived from any spelling of the target', () => {
  expect(['/tnwr', '/tnwr/v1', 'http://h/tnwr/v1', '//tnwr/'].map(familyOf)).toEqual(['B', 'B', 'B', 'B']);
  expect([undefined, '', '*', '/tnwrx', '/x/tnwr/', 'http://tnwr/x'].map(familyOf)).toEqual([
    'A',
    'A',
    'A',
    'A',
    'A',
    'A',
  ]);
});
