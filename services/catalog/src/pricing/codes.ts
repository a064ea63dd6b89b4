import { randomBytes } from 'node:crypto';
import { Fault } from '@boxoffice/envelope';
import {
  type AnyOperation,
  created,
  createNullableSchema,
  createPageSchema,
  id,
  named,
  ok,
  oneOf,
  operation,
  pageQuery,
  pathId,
  readPage,
  timestamp,
} from '@boxoffice/http';
import { deriveId, encodeBase32 } from '@boxoffice/runtime';
import type { Query, Store } from '@boxoffice/store';
import { type Static, Type } from 'typebox';
import { createContext } from '../context.ts';
import { createdAt } from '../schemas.ts';
import type { CodeDocument } from '../store.ts';
import { deriveCodeId, makeCodes, requireDiscount, type Wanted } from './batches.ts';
import { exampleIds } from './schemas.ts';
import { countUses, MAX_USES } from './uses.ts';

const MAX_CODES = 1_000;
const RANDOM_CHARACTERS = 12;

const code = Type.String({
  pattern: '^[A-Za-z0-9-]{4,40}$',
  description: 'unique in the institution; compared without case',
});
const maxUses = createNullableSchema(
  Type.Integer({
    minimum: 1,
    maximum: MAX_USES,
    description: `lines that have it, at most ${MAX_USES} of all codes of a request; null: no limit of its own`,
  }),
);
const batchId = { ...id, description: 'of the request that made them' };

const NewCodes = named(
  'DiscountCodesInput',
  Type.Object(
    {
      codes: Type.Optional(
        Type.Array(named('DiscountCodeInput', Type.Object({ code, maxUses: Type.Optional(maxUses) })), {
          minItems: 1,
          maxItems: MAX_CODES,
          description: 'the codes themselves',
        }),
      ),
      count: Type.Optional(
        Type.Integer({ minimum: 1, maximum: MAX_CODES, description: 'how many to make, of random characters' }),
      ),
      prefix: Type.Optional(
        Type.String({ pattern: '^[A-Za-z0-9-]{0,28}$', description: 'with which those that are made begin' }),
      ),
      maxUses: Type.Optional(createNullableSchema({ ...maxUses, description: 'of each that is made; default 1' })),
    },
    { description: 'either `codes`, or `count` with `prefix` and `maxUses`' },
  ),
);

const codeState = oneOf(['active', 'withdrawn']);

const Code = named(
  'DiscountCode',
  Type.Object({
    code,
    batchId: Type.String(batchId),
    maxUses,
    held: Type.Integer({ description: 'lines of carts and unpaid orders that have it' }),
    used: Type.Integer({ description: 'sold lines that have it' }),
    state: { ...codeState, description: '`withdrawn`: new orders cannot have it' },
    createdAt: timestamp,
  }),
);

const params = { discountId: pathId };
const exampleParams = { discountId: exampleIds.discount };
const exampleBatch = 'bat_00mhs1k0u6w8a3d1j9rt';
const path = '/svc/v3/catalog/discounts/{discountId}/codes';

export function createCodesRoutes(store: Store): AnyOperation[] {
  return [
    operation({
      id: 'createDiscountCodes',
      method: 'post',
      path,
      access: 'catalog.sensitive:write',
      summary: 'Makes codes of a discount: all of them or none',
      description: `At most ${MAX_CODES} a request. Those that are made have ${RANDOM_CHARACTERS} random characters of Crockford's Base32.`,
      params,
      body: NewCodes,
      needsBody: true,
      answers: {
        201: named(
          'DiscountCodes',
          Type.Object({ batchId: Type.String(batchId), count: Type.Integer({ description: 'of codes' }) }),
        ),
      },
      errors: ['semantically_invalid', 'discount_duplicate_code'],
      example: {
        params: exampleParams,
        body: { count: 100, prefix: 'NEW-' },
        answer: { batchId: exampleBatch, count: 100 },
      },
      handle: async ({ caller, params: { discountId }, body, idempotencyKey, remember }) => {
        const context = createContext(store, caller.institution);
        const wanted = listWanted(body);
        // Of codes that are named, a repeat after a crash finds what the first attempt has made.
        const batchId =
          idempotencyKey === undefined || body.codes === undefined
            ? context.newId('bat')
            : deriveId('bat', caller.institution, discountId, idempotencyKey, JSON.stringify(body.codes));
        const reply = () =>
          created({ batchId, count: wanted.length }, `${path.replace('{discountId}', discountId)}?batchId=${batchId}`);
        await makeCodes(context, { discountId, batchId, wanted }, remember(reply));
        return reply();
      },
    }),
    operation({
      id: 'listDiscountCodes',
      method: 'get',
      path,
      access: 'catalog.sensitive:read',
      summary: 'Lists the codes of a discount in order of creation',
      description: 'With what is held and used of each.',
      params,
      query: { batchId: Type.Optional(batchId), state: Type.Optional(codeState), ...pageQuery },
      answers: { 200: createPageSchema(Code) },
      example: {
        params: exampleParams,
        answer: {
          items: [
            {
              code: 'NEW-7ZX4Q0M2K9TB',
              ...{ batchId: exampleBatch, maxUses: 1, held: 0, used: 1, state: 'active' as const, createdAt },
            },
          ],
          nextCursor: null,
        },
      },
      handle: async (request) => {
        const { collections, now } = createContext(store, request.caller.institution);
        const { discountId } = await requireDiscount(collections, request.params.discountId);
        const at = now();
        const show = async ({ id, code, batchId, maxUses, state, createdAt }: CodeDocument) => {
          const { used, taken } = await countUses(collections, id, at);
          return {
            id,
            createdAt,
            view: { code, batchId, maxUses, held: taken - used, used, state, createdAt: createdAt ?? '' },
          };
        };
        const shown = {
          find: async (query: Query) => Promise.all((await collections.discountCodes.find(query)).map(show)),
        };
        const { batchId, state } = request.query;
        const where = { discountId, batchId, state, createdAt: { gt: '' } };
        return readPage(request, shown, { where, item: ({ view }) => view });
      },
    }),
    operation({
      id: 'withdrawDiscountCodes',
      method: 'post',
      path: `${path}/withdrawal`,
      access: 'catalog.sensitive:write',
      summary: 'Withdraws a code, or those of a batch',
      description: 'New orders cannot have them; what is held or used stays. A repeat withdraws nothing more.',
      params,
      needsBody: true,
      body: named(
        'DiscountCodesWithdrawal',
        Type.Object(
          { batchId: Type.Optional(batchId), code: Type.Optional(code) },
          { description: 'either `batchId` or `code`' },
        ),
      ),
      answers: { 200: Type.Object({ withdrawn: Type.Integer({ description: 'how many were active before' }) }) },
      example: { params: exampleParams, body: { batchId: exampleBatch }, answer: { withdrawn: 100 } },
      handle: async ({ caller, params, body: { batchId, code } }) => {
        if ((batchId === undefined) === (code === undefined))
          throw new Fault('validation_error', '$ names either batchId or code.');
        const { collections } = createContext(store, caller.institution);
        const { discountId } = await requireDiscount(collections, params.discountId);
        const [member, value] =
          code === undefined ? ['batchId', batchId ?? ''] : ['id', deriveCodeId(caller.institution, code)];
        const where = { [member]: value, discountId, state: 'active', createdAt: { gt: '' } };
        const withdrawn = await collections.discountCodes.claim({ where, set: { state: 'withdrawn' } });
        return ok({ withdrawn: withdrawn.length });
      },
    }),
  ];
}

/** @throws Fault `validation_error` */
const listWanted = ({ codes, count, prefix, maxUses }: Static<typeof NewCodes>): Wanted[] => {
  const refuse = (problem: string): never => {
    throw new Fault('validation_error', problem);
  };
  if ((codes === undefined) === (count === undefined)) refuse('$ has either codes or count.');
  if (codes && (prefix !== undefined || maxUses !== undefined))
    refuse('$: prefix and maxUses are taken beside count alone.');
  const random = () => encodeBase32(randomBytes(RANDOM_CHARACTERS)).toUpperCase();
  const wanted = codes
    ? codes.map(({ code, maxUses = null }) => ({ code, maxUses }))
    : Array.from({ length: count ?? 0 }, () => ({
        code: `${prefix ?? ''}${random()}`,
        maxUses: maxUses === undefined ? 1 : maxUses,
      }));
  const uses = wanted.reduce((sum, one) => sum + (one.maxUses ?? 0), 0);
  if (uses > MAX_USES) refuse(`The codes of a request have at most ${MAX_USES} uses together; these have ${uses}.`);
  return wanted;
};
