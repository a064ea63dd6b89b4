import {
  type AnyOperation,
  createChangesPageSchema,
  created,
  createPatchSchema,
  listQuery,
  listReadOnlyMembers,
  mergePatch,
  named,
  ok,
  pathId,
  readChangesPage,
} from '@boxoffice/http';
import type { Caller } from '@boxoffice/identity';
import { findFitting, type Query, type Store } from '@boxoffice/store';
import type { TObject } from 'typebox';
import { type Context, createContext, readTimestamp, requireInstitution, throwNotFound } from '../context.ts';
import type { RuleDetails } from '../domain/pricing.ts';
import { asOf } from '../schemas.ts';
import type { RuleDocument } from '../store.ts';
import { discounts } from './discounts.ts';
import { fees } from './fees.ts';
import type { Noun, RuleView, View } from './noun.ts';
import { changeRule, checkRule, createRule, narrowRule } from './rules.ts';
import { taxes } from './taxes.ts';
import { makeFirstUses } from './uses.ts';

const prefixes = { tax: 'tax', fee: 'fee', discount: 'dsc' } as const;

/** None of these resources is ever deleted. */
export function createRulesRoutes(store: Store): AnyOperation[] {
  return [taxes, fees, discounts].flatMap((noun) => createRoutes(store, noun));
}

const createRoutes = (store: Store, noun: Noun): AnyOperation[] => {
  const { kind, name, plural, body: Body, shown: Shown, example, errors } = noun;
  const path = `/svc/v3/catalog/${plural.toLowerCase()}`;
  const param = `${kind}Id`;
  const params = { [param]: example.answer.id };
  const single = { path: `${path}/{${param}}`, params: { [param]: pathId }, answers: { 200: Shown }, etag: true };
  const answer = (document: RuleDocument, view: View) => {
    const shown = view(document);
    return ok(shown, validatorOf(document, shown));
  };

  /** As the caller sees it. @throws Fault `not_found` */
  const find = async (
    { collections }: Context,
    { [param]: id }: object & { [name: string]: unknown },
    caller: Caller,
  ) => {
    const found = await collections.priceRules.get(String(id));
    return (found?.rule.kind === kind ? narrowRule(found, caller) : undefined) ?? throwNotFound();
  };
  const prepareView = async (context: Context, document: RuleDocument, caller: Caller): Promise<View> => {
    const { currency } = await requireInstitution(context.collections);
    return noun.prepareView(context, document, caller, currency);
  };

  return [
    {
      id: `list${plural}`,
      method: 'get',
      path,
      access: 'catalog:read',
      summary: `Lists ${plural.toLowerCase()} in order of creation`,
      description:
        'With `modifiedSince` only those that have changed since. A client with bounds sees those that admit it.',
      query: listQuery,
      answers: { 200: createChangesPageSchema(Shown) },
      errors: ['not_found'],
      example: { answer: { items: [example.answer], nextCursor: null, asOf } },
      handle: async (request) => {
        const { caller } = request;
        const context = createContext(store, caller.institution);
        const { priceRules } = context.collections;
        const seen = findFitting(priceRules, (found) =>
          found.flatMap((document) => narrowRule(document, caller) ?? []),
        );
        const { currency } = await requireInstitution(context.collections);
        const show = async (document: RuleDocument) => {
          const view = await noun.prepareView(context, document, caller, currency);
          return { id: document.id, createdAt: document.createdAt, view: view(document) };
        };
        const shown = { find: async (query: Query) => Promise.all((await seen.find(query)).map(show)) };
        const options = {
          where: { 'rule.kind': kind },
          clock: context.now,
          item: ({ view }: { view: object }) => view,
        };
        return readChangesPage(request, shown, options);
      },
    },
    {
      id: `create${name}`,
      method: 'post',
      path,
      access: 'catalog:write',
      summary: `Creates a ${kind}`,
      description: noun.about,
      body: Body,
      answers: { 201: Shown },
      errors: ['not_found', 'semantically_invalid', ...errors],
      etag: true,
      example: { body: example.body, answer: { ...example.answer, ...example.body } },
      handle: async ({ caller, body, remember }) => {
        const context = createContext(store, caller.institution);
        const rule = noun.read(body as object);
        const { currency } = await checkRule(context, rule, body as object);
        const now = readTimestamp(context);
        const made = { id: context.newId(prefixes[kind]), rule, revision: 1, createdAt: now, updatedAt: now };
        const document = { ...made, version: 1, institution: caller.institution };
        const view = await noun.prepareView(context, document, caller, currency);
        const reply = (one: RuleDocument) => created(view(one), `${path}/${one.id}`, validatorOf(one, view(one)));
        const pool = await makeFirstUses(context.collections, made.id, rule);
        return reply(await createRule(context, made, remember(reply), pool));
      },
    },
    {
      ...single,
      id: `get${name}`,
      method: 'get',
      access: 'catalog:read',
      summary: `Returns a ${kind}`,
      description: 'A client with bounds sees what admits it, without the channels of others.',
      example: { params, answer: example.answer },
      handle: async ({ caller, params }) => {
        const context = createContext(store, caller.institution);
        const document = await find(context, params, caller);
        return answer(document, await prepareView(context, document, caller));
      },
    },
    {
      ...single,
      id: `change${name}`,
      method: 'patch',
      access: 'catalog:write',
      summary: `Changes members of a ${kind}`,
      description: 'A merge patch (RFC 7396): absent members stay. Lines that are held or sold keep what they have.',
      body: named(`${name}Changes`, createPatchSchema(Body)),
      readOnly: listReadOnlyMembers(Shown, Body),
      errors: ['semantically_invalid', ...errors],
      conditional: true,
      example: { params, body: example.change, answer: { ...example.answer, ...example.change } },
      handle: async ({ caller, params, body, header, ifMatch, requireUnchanged, remember }) => {
        const context = createContext(store, caller.institution);
        const present = await find(context, params, caller);
        const view = await prepareView(context, present, caller);
        const to = (current: RuleDocument): RuleDetails => {
          ifMatch(findNamedTag(header('if-match'), current.revision));
          requireUnchanged(view(current));
          return noun.read(mergePatch<object>(toBody(view(current), Body), body as object));
        };
        await checkRule(context, to(present), body as object, present.rule);
        const change = noun.change ?? changeRule;
        const reply = (one: RuleDocument) => answer(one, view);
        return reply(await change(context, present, to, remember(reply)));
      },
    },
  ];
};

/** What is used of a discount is in its tag, since it is shown. */
const validatorOf = ({ revision }: RuleDocument, { usage }: RuleView) => ({
  etag: usage && usage.held + usage.used > 0 ? `${revision}.${usage.held}.${usage.used}` : String(revision),
});

/** Of the revision, whatever was used when it was read: no change depends on that. */
const findNamedTag = (ifMatch: string | undefined, revision: number): string =>
  ifMatch?.match(new RegExp(`(?<=")${revision}\\.[0-9]+\\.[0-9]+`))?.[0] ?? String(revision);

/** The target of a merge patch: null is the absence of a member. */
const toBody = (view: object, { properties }: TObject): object =>
  Object.fromEntries(Object.entries(view).filter(([name, value]) => Object.hasOwn(properties, name) && value !== null));
