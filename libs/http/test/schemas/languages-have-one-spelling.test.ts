import { expect, test } from '@jest/globals';
import { Type } from 'typebox';
import { byLanguage, languageTag, lineOfText, ok, operation, patchOf } from '../../src/index.ts';
import { forSuite, start } from '../fixture.ts';

const body = Type.Object({
  language: Type.Optional(languageTag),
  languages: Type.Optional(Type.Array(languageTag, { uniqueItems: true })),
  name: Type.Optional(byLanguage(lineOfText({ maxLength: 20 }))),
});

const shape = {
  access: 'notes:write',
  path: '/texts',
  summary: 'Takes texts',
  answers: { 200: Type.Unknown() },
  example: { body: {}, answer: {} },
  handle: ({ body: taken }: { readonly body: unknown }) => ok<unknown>(taken),
} as const;
const app = forSuite(() =>
  start([
    operation({ ...shape, id: 'take', method: 'post', body }),
    operation({ ...shape, id: 'change', method: 'patch', body: patchOf(body) }),
  ]),
);

const send = async (method: 'POST' | 'PATCH', value: object) => {
  const as = { operation: method === 'POST' ? 'take' : 'change', scopes: ['notes:write'] };
  const headers = { 'Content-Type': 'application/json' };
  const answer = await app.call('/texts', { as, method, headers, body: JSON.stringify(value) });
  return (await answer.json()) as { status: string; details: string | null; data: object };
};

test.each([
  [{ language: 'deu' }, { language: 'de' }],
  [{ languages: ['iw', 'PT-br', 'zh-hant'] }, { languages: ['he', 'pt-BR', 'zh-Hant'] }],
  [{ name: { deu: ' Stück ', 'fr-ch': 'Pièce' } }, { name: { de: 'Stück', 'fr-CH': 'Pièce' } }],
])('%j is taken as %j', async (given, taken) => {
  expect((await send('POST', given)).data).toEqual(taken);
  expect((await send('PATCH', given)).data).toEqual(taken);
});

test('a change of a text removes a language by any of its codes', async () => {
  expect((await send('PATCH', { name: { deu: null, iw: 'x' } })).data).toEqual({ name: { de: null, he: 'x' } });
});

test.each([
  [{ language: 'German' }, '$.language must be a language tag (BCP 47), such as fr, pt-BR or zh-Hant.'],
  [{ language: 'ca-valencia' }, '$.language must be a language tag (BCP 47), such as fr, pt-BR or zh-Hant.'],
  [{ languages: ['de', 'deu'] }, '$.languages must not have the same item twice.'],
  [{ name: { de: 'a', deu: 'b' } }, '$.name must not have a language twice.'],
  [{ name: { 'de-CH-1996': 'a' } }, '$.name.de-CH-1996 is not a known field.'],
])('%j is refused', async (given, details) => {
  expect(await send('POST', given)).toMatchObject({ status: 'validation_error', details });
});
