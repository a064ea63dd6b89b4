import { describe, expect, test } from '@jest/globals';
import { type Static, Type } from 'typebox';
import { created, mergePatch, nullable, ok, oneOf, operation, patchOf } from '../../src/index.ts';

const Thing = Type.Object({ id: Type.String(), name: Type.String() });

// The compiler decides: each line that must not compile is marked.
describe('an operation', () => {
  test('types its handler by its schemas', () => {
    const declared = operation({
      id: 'createThing',
      method: 'post',
      path: '/things/{rack}',
      access: 'things:write',
      summary: 'Creates a thing',
      params: { rack: Type.String() },
      query: { force: Type.Optional(Type.Boolean()), at: Type.Integer() },
      body: Type.Object({ name: Type.String(), color: Type.Optional(nullable(oneOf(['red', 'green']))) }),
      answers: { 201: Thing },
      example: { params: { rack: 'a' }, body: { name: 'x', color: 'red' }, answer: {} },
      handle: ({ params, query, body, remember }) => {
        const rack: string = params.rack;
        const force: boolean | undefined = query.force;
        const at: number = query.at;
        const color: 'red' | 'green' | null | undefined = body.color;
        // @ts-expect-error no such member
        body.size;
        // @ts-expect-error no such parameter
        params.id;
        const idempotencyRecord = remember((thing: { id: string }) => created({ id: thing.id, name: body.name }, '/'));
        return created({ id: rack, name: `${force} ${at} ${color} ${idempotencyRecord}` }, '/');
      },
    });
    expect(declared.id).toBe('createThing');
  });

  test('answers only with data that it declares', () => {
    const shape = { id: 'a', method: 'get', path: '/', access: 'public', summary: '' } as const;
    const answers = { 200: Thing };
    // @ts-expect-error another shape
    operation({ ...shape, answers, example: { answer: {} }, handle: () => ok({ nope: 1 }) });
    operation({ ...shape, answers, example: { answer: {} }, handle: () => ok({ id: 'a', name: 'b' }) });
    expect(shape.id).toBe('a');
  });

  test('declares a scope as domain and action', () => {
    const shape = { id: 'a', method: 'get', path: '/', summary: '', answers: {}, example: { answer: {} } } as const;
    // @ts-expect-error no action
    operation({ ...shape, access: 'things' });
    expect(shape.id).toBe('a');
  });
});

test('a patch is typed by the resource that it changes', () => {
  const Person = Type.Object({
    name: Type.String(),
    nick: Type.Optional(Type.String()),
    at: Type.Object({ city: Type.String() }),
  });
  const schema = patchOf(Person);
  const patch: Static<typeof schema> = { nick: null, at: { city: 'Basel' } };
  const person: Static<typeof Person> = { name: 'Ada', nick: 'A', at: { city: 'Genève' } };
  // @ts-expect-error a required member cannot be removed
  const wrong: Static<typeof schema> = { name: null };
  expect(mergePatch(person, patch)).toEqual({ name: 'Ada', at: { city: 'Basel' } });
  expect(wrong.name).toBeNull();
});
