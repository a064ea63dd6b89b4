import { Type } from 'typebox';
import { created, operation } from '../src/index.ts';

const Individual = Type.Object({ contactNumber: Type.String(), lastName: Type.String({ minLength: 1 }) });
export const x = operation({
  id: 'a',
  method: 'post',
  path: '/x/{id}',
  access: 'contacts:write',
  summary: 's',
  params: { id: Type.String() },
  query: { allow: Type.Optional(Type.Boolean()) },
  body: Type.Object({ lastName: Type.String(), address: Type.Optional(Type.Object({ city: Type.String() })) }),
  answers: { 201: Individual },
  example: { answer: {} },
  handle: async ({ params, query, body, remember }) => {
    const s: string = params.id;
    const b: boolean | undefined = query.allow;
    const c: string | undefined = body.address?.city;
    const st = remember((d: { contactNumber: string }) =>
      created({ contactNumber: d.contactNumber, lastName: s }, '/'),
    );
    void b;
    void c;
    void st;
    return created({ contactNumber: 'x', lastName: s }, '/x');
  },
});
// @ts-expect-error wrong answer
operation({
  id: 'a',
  method: 'get',
  path: '/',
  access: 'public',
  summary: '',
  answers: { 200: Individual },
  example: { answer: {} },
  handle: () => created({ nope: 1 }, ''),
});
