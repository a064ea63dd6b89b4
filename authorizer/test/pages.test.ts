import { hash } from 'node:crypto';
import { chooseLanguage, html, LANGUAGES, showPage, toFormTarget } from '@boxoffice/pages';
import { describe, expect, test } from '@jest/globals';
import { SCOPES } from '../src/domain/scopes.ts';
import { getTexts } from '../src/sign-in/texts.ts';
import { renderField } from '../src/sign-in/views.ts';

const page = (title: string, institution = 'Opéra') =>
  showPage({ language: 'fr', institution, title, content: html`<p>${title}</p>` });

describe('a page', () => {
  test('escapes every text, in content and in attributes', () => {
    const attack = `"><script>alert(1)</script>'&`;
    const { body } = page(attack, attack);
    expect(body).not.toContain('<script');
    expect(body).toContain('&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&#39;&amp;');
    const input = renderField({ name: 'login', label: attack, type: 'text', autocomplete: 'username', value: attack });
    expect(input.html).not.toContain('<script');
    expect(input.html.match(/"/g)?.length).toBe(18);
  });

  test('runs no script, loads nothing, cannot be framed or cached, and sends its own origin with forms', () => {
    const { headers, body } = page('Se connecter');
    const policy = String(headers['Content-Security-Policy']);
    const style = /<style>([\s\S]*)<\/style>/.exec(body)?.[1] ?? '';
    expect(policy).toContain(`style-src 'sha256-${hash('sha256', style, 'base64')}'`);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("form-action 'self';");
    expect(policy).not.toMatch(/script-src|unsafe/);
    expect(headers).toMatchObject({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'same-origin' });
    expect(body).not.toMatch(/<script|<link|<img| style=| on\w+=/);
  });

  test.each([
    ['https://shop.example.org/callback?x=1', 'https://shop.example.org'],
    ['https://shop.example.org:8443/callback', 'https://shop.example.org:8443'],
    ['http://127.0.0.1:5173/callback', 'http://127.0.0.1:5173'],
    ['http://[::1]:5173/callback', 'http:'],
    ['org.example.app:/callback', 'org.example.app:'],
  ])('lets its form lead to %s', (uri, source) => {
    expect(toFormTarget(uri)).toBe(source);
    const { headers } = showPage(
      { language: 'en', institution: undefined, title: 'Sign in', content: html`` },
      { formAction: toFormTarget(uri) },
    );
    expect(headers['Content-Security-Policy']).toContain(`form-action 'self' ${source};`);
  });
});

describe('the language of a page', () => {
  test.each([
    ['ui_locales first', { uiLocales: 'it de-CH', acceptLanguage: 'fr' }, undefined, 'de'],
    ['then Accept-Language by weight', { acceptLanguage: 'en;q=0.5, de;q=0.9, fr;q=0' }, undefined, 'de'],
    ['of the institution only', { uiLocales: 'de', acceptLanguage: 'fr' }, ['en', 'fr'], 'fr'],
    ["else the institution's first", { acceptLanguage: 'it' }, ['en', 'fr'], 'en'],
    ['a wildcard', { acceptLanguage: 'it, *;q=0.1' }, ['de', 'fr'], 'de'],
    ['an institution without a language of the pages', {}, ['it'], 'fr'],
  ])('%s', (_name, wishes, offered, expected) => {
    expect(chooseLanguage(wishes, offered)).toBe(expected);
  });

  test('each names every scope in plain words', () => {
    const scopes = [...SCOPES, 'openid', 'profile', 'email', 'offline_access'];
    for (const language of LANGUAGES) {
      expect(scopes.filter((scope) => !getTexts(language).scopes[scope])).toEqual([]);
    }
  });
});
