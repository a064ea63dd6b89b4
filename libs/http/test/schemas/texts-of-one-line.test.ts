import { describe, expect, test } from '@jest/globals';
import { Type } from 'typebox';
import {
  created,
  createLineSchema,
  createLinesSchema,
  createNullableSchema,
  normaliseLine,
  ok,
  operation,
} from '../../src/index.ts';
import { createCompiler } from '../../src/validation/validators.ts';
import { openForSuite, start } from '../fixture.ts';

const body = Type.Object({
  name: createLineSchema({ maxLength: 5 }),
  rows: Type.Optional(Type.Array(createLineSchema({ maxLength: 20 }))),
  about: Type.Optional(createNullableSchema(createLinesSchema({ maxLength: 40 }))),
  nick: Type.Optional(createNullableSchema(createLineSchema({ maxLength: 20, mayBeEmpty: true }))),
});

const shape = { access: 'notes:write', summary: 'Takes texts' } as const;

const app = openForSuite(() =>
  start([
    operation({
      ...shape,
      id: 'take',
      method: 'post',
      path: '/texts',
      body,
      answers: { 201: Type.Unknown() },
      example: { body: { name: 'a' }, answer: {} },
      handle: ({ body: taken }) => created<unknown>(taken, '/texts/1'),
    }),
    operation({
      ...shape,
      id: 'find',
      method: 'get',
      path: '/texts',
      query: { code: Type.Optional(createLineSchema({ maxLength: 20 })) },
      answers: { 200: Type.Unknown() },
      example: { answer: {} },
      handle: ({ query }) => ok<unknown>(query),
    }),
  ]),
);

type Reply = { status: string; details: string | null; data: Record<string, unknown> };

const take = async (value: object) => {
  const as = { operation: 'take', scopes: ['notes:write'] };
  const answer = await app.call('/texts', { as, method: 'POST', body: JSON.stringify(value) });
  return (await answer.json()) as Reply;
};

const find = async (code: string) => {
  const as = { operation: 'find', scopes: ['notes:write'] };
  return (await (await app.call(`/texts?code=${encodeURIComponent(code)}`, { as })).json()) as Reply;
};

describe('a text of one line', () => {
  test.each([
    ['white space around it', '  A\t', 'A'],
    ['every white space of Unicode', '\u0085\u00a0\u1680\u2003\u2028\u3000A\u2029\u202f\u205f\ufeff\r\n', 'A'],
    ['a decomposed letter', 'e\u0301', 'é'],
    ['a letter with another code', '\u212b', 'Å'],
    ['white space within it, which stays', 'A  B', 'A  B'],
    ['what is shorter once it is normalised', ` ${'e\u0301'.repeat(5)} `, 'ééééé'],
    ['an invisible letter beside visible ones', 'क्\u200dष', 'क्\u200dष'],
    ['an emoji', '☕\ufe0f', '☕\ufe0f'],
  ])('is normalised: %s', async (_what, given, stored) => {
    const { data } = await take({ name: given, rows: [given], nick: given });
    expect(data).toEqual({ name: stored, rows: [stored], nick: stored });
    expect((await find(given)).data).toEqual({ code: stored });
  });

  test.each([
    ['nothing', ''],
    ['white space', ' \t\u00a0\u0085\u3000'],
    ['a zero width space', '\u200b'],
    ['a Hangul filler', '\u3164'],
    ['a halfwidth Hangul filler', '\uffa0'],
    ['a Braille blank', '\u2800'],
    ['a word joiner and white space', '\u2060 \ufeff'],
    ['a soft hyphen', '\u00ad'],
    ['a tag', '\u{e0041}'],
    ['a variation selector', '\ufe0f'],
    ['an Egyptian blank', '\u{13441}'],
  ])('is not blank: %s is refused', async (_what, given) => {
    const { status, details } = await take({ name: given, rows: ['A', given] });
    expect(status).toBe('validation_error');
    const message = 'must not be blank or contain control characters';
    expect(details).toBe(`$.name ${message}; $.rows[1] ${message}.`);
    expect((await find(given)).status).toBe('invalid_parameter');
    const nick = await take({ name: 'A', nick: given });
    if (given === '') expect(nick.data).toEqual({ name: 'A', nick: '' });
    else expect(nick.details).toBe('$.nick must be empty, or not blank and without control characters.');
  });

  test.each(['\u0000', '\u0007', '\n', '\r', '\t', '\u001b', '\u007f', '\u0085', '\u009f', '\u2028', '\u2029'])(
    'has no control character or line break within it: %j',
    async (control) => {
      const given = `A${control}B`;
      const { status, details } = await take({ name: given, nick: given });
      expect(status).toBe('validation_error');
      expect(details).toContain('$.name must not be blank or contain control characters');
      expect(details).toContain('$.nick must be empty, or not blank and without control characters');
      expect((await find(given)).status).toBe('invalid_parameter');
    },
  );

  test('has its greatest length after it is normalised', async () => {
    const { status, details } = await take({ name: ` ${'e\u0301'.repeat(6)}` });
    expect([status, details]).toEqual(['validation_error', '$.name must have at most 5 characters.']);
  });
});

describe('a text of several lines', () => {
  test('is normalised, with one kind of line break', async () => {
    const { data } = await take({ name: 'A', about: '\r\n  e\u0301:\r\n\tB\rC\n\nD \n' });
    expect(data.about).toBe('é:\n\tB\nC\n\nD');
    expect((await take({ name: 'A', about: null })).data.about).toBeNull();
  });

  test.each(['', ' \n\t', '\u200b\n\u3164', 'A\u0000', 'A\u001bB', 'A\u0085B'])(
    'is not blank and has no other control character: %j',
    async (about) => {
      const { status, details } = await take({ name: 'A', about });
      expect([status, details]).toEqual([
        'validation_error',
        '$.about must not be blank or contain control characters but line breaks and tabs.',
      ]);
    },
  );
});

describe('normalising', () => {
  test('is idempotent', () => {
    for (const text of ['  A\t', 'e\u0301 ', '\u200b A', '\u3164', '\u0344\u0301', '\u1100\u1161\u11a8'])
      expect(normaliseLine(normaliseLine(text))).toBe(normaliseLine(text));
  });

  test('takes linear work: more marks in a row than any language has are composed in short texts only', () => {
    const marks = (count: number) => `a${'\u0301\u0316'.repeat(count)}`;
    expect(normaliseLine(marks(400))).toBe(marks(400).normalize('NFC'));
    expect(normaliseLine(marks(600))).toBe(marks(600));
    const lines = 'e\u0301\u0316 '.repeat(1_000);
    expect(normaliseLine(lines)).toBe(lines.normalize('NFC').trim());
  });

  test('reaches items and members of choices', () => {
    const choice = Type.Union([
      Type.Object({ texts: Type.Record(Type.String(), createLineSchema({ maxLength: 9 })) }),
      Type.Object({ lines: Type.Array(createLinesSchema({ maxLength: 9 })) }),
    ]);
    const validate = createCompiler()(choice);
    const [first, second] = [{ texts: JSON.parse('{"__proto__":" A ","b":" B "}') }, { lines: ['a\r\nb ', ' c'] }];
    expect([validate(first).found, validate(second).found]).toEqual([[], []]);
    expect(JSON.stringify(first)).toBe('{"texts":{"__proto__":"A","b":"B"}}');
    expect(second).toEqual({ lines: ['a\nb', 'c'] });
  });
});
