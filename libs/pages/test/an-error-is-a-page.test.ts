import { type Code, Fault } from '@boxoffice/envelope';
import { expect, test } from '@jest/globals';
import { renderErrorPage } from '../src/index.ts';

const pageOf = (code: Code, acceptLanguage = 'en', headers = {}) =>
  renderErrorPage(new Fault(code, 'Details for developers.', headers), { acceptLanguage, requestId: 'req-1' });

test.each([
  ['not_found', 404, 'There is no such page'],
  ['method_not_allowed', 405, 'This request does not work'],
  ['too_many_requests', 429, 'Too many requests'],
  ['internal_error', 500, 'report this number: req-1'],
  ['bad_gateway', 502, 'Not available at the moment'],
  ['service_unavailable', 503, 'Not available at the moment'],
] as const)('%s is a page with status %i', (code, status, text) => {
  const page = pageOf(code);
  expect(page.status).toBe(status);
  expect(page.body).toContain(text);
  expect(page.body).not.toContain('Details for developers.');
});

test('the page has the language of the browser and the headers of the error', () => {
  const { headers, body } = pageOf('too_many_requests', 'de', { 'Retry-After': '61' });
  expect(headers).toMatchObject({ 'Retry-After': '61', 'Content-Language': 'de', 'Cache-Control': 'no-store' });
  expect(body).toContain('in 2 Minuten');
});
