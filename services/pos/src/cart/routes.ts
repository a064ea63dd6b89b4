import { type AnyOperation, created, ok } from '@boxoffice/http';
import type { Order, Outcome } from '../clients/orders.ts';
import type { Edition } from '../description/editions.ts';
import { examples } from '../description/examples.ts';
import { CodeInput, ItemChange, langQuery, pathId, toStoredName } from '../description/schemas.ts';
import { requireDone } from '../orders/refusals.ts';
import { readCurrentOffer, type ShownCart, toCartView } from '../orders/views.ts';
import { requireNotOver } from '../products/offers.ts';
import type { PosContext } from '../request/context.ts';
import { createNotFoundFault, operation, requireContact, type Visit } from '../request/visit.ts';
import type { NewSession } from '../sessions/sessions.ts';
import { createId, formatCartSubject, isId } from '../store.ts';
import {
  abandonCart,
  addCode,
  createCartExpiredFault,
  fillCart,
  findCart,
  hasExpired,
  readRecordedCart,
  removeAwaitedOrder,
} from './cart.ts';

const itemParams = { id: pathId };
const discountParams = { discountId: pathId };
const example = { params: { id: examples.ids.line } };
const tariffErrors = [
  'invalid_reference',
  'cart_not_on_sale',
  'login_required',
  'contact_not_accessible',
  'tariff_not_accessible',
] as const;

export function createCartRoutes(context: PosContext, edition: Edition): AnyOperation[] {
  const { Cart, NewItem, isExperimental } = edition;
  const expiredErrors = isExperimental ? [] : (['cart_expired'] as const);
  const changeErrors = [...expiredErrors, 'cart_empty', 'order_busy'] as const;

  /** @throws {PosFault} cart_expired under the numbered version, which cannot say it otherwise */
  const viewCart = async (visit: Visit, cart: ShownCart) => {
    if (cart.isExpired && !isExperimental) throw createCartExpiredFault();
    return toCartView(cart, await readCurrentOffer(context, visit), { visit, isExperimental });
  };

  const toAnswerHeaders = (newSession: NewSession | undefined): Readonly<Record<string, string>> =>
    newSession ? { 'X-auth-token': newSession.token } : {};

  const codes = [
    operation({
      id: 'addCodeToCart',
      method: 'post',
      path: '/shopping-cart/codes',
      access: 'visitor',
      summary: 'Gives the cart a code of a discount, also before its first item; returns the cart',
      description:
        'Upper and lower case are the same; a code that the cart has changes nothing. It applies to the items that ' +
        'match it as long as they do: `codes` of the cart says what it does. Without a session one is created (201), ' +
        'and its token is in X-auth-token. After ten unknown codes in 15 minutes from one address the answer is 429.',
      query: langQuery,
      body: CodeInput,
      answers: { 200: Cart, 201: Cart },
      answerHeaders: ['X-auth-token'],
      errors: [
        'discount_unknown_code',
        'discount_not_applicable',
        'discount_limit_reached',
        'tariff_not_accessible',
        'order_busy',
      ],
      example: { body: { code: 'FAMILLE-27' }, answer: edition.examples.cart },
      handle: async ({ visitor, body: { code } }) => {
        const { cart, newSession } = await addCode(context, visitor, code);
        const view = await viewCart(visitor, { order: cart });
        const headers = toAnswerHeaders(newSession);
        return newSession ? created(view, `${visitor.base}/shopping-cart`, { headers }) : ok(view);
      },
    }),
    operation({
      id: 'removeCodesFromCart',
      method: 'delete',
      path: '/shopping-cart/codes/{discountId}',
      access: 'session',
      summary: 'Removes all codes of a discount from the cart; returns the cart',
      description: 'Refused while the cart has an item of a tariff that is sold only with the discount.',
      params: discountParams,
      query: langQuery,
      answers: { 200: Cart },
      errors: ['tariff_not_accessible', 'order_busy'],
      example: { params: { discountId: 'dsc_01k9q2m8s4' }, answer: edition.examples.cart },
      handle: async ({ visitor, params: { discountId } }) => {
        const { institution, cartId } = requireCart(visitor, discountId);
        const outcome = await context.orders.removeCodes(institution, cartId, discountId);
        return ok(await viewCart(visitor, toShownCart(outcome)));
      },
    }),
  ];

  return [
    ...(isExperimental ? codes : []),
    operation({
      id: 'getCart',
      method: 'get',
      path: '/shopping-cart',
      access: 'visitor',
      summary: 'Returns the shopping cart; without a session an empty one',
      description:
        'If the cart is empty, an order of this session whose payment failed and whose places are still held becomes ' +
        'the cart again and can be bought again.',
      query: langQuery,
      answers: { 200: Cart },
      errors: expiredErrors,
      example: { answer: edition.examples.cart },
      handle: async ({ visitor }) => {
        const { session } = visitor;
        const recorded = session && (await readRecordedCart(context, session));
        if (recorded && hasExpired(recorded)) return ok(await viewCart(visitor, { order: recorded, isExpired: true }));
        return ok(await viewCart(visitor, { order: session && (await findCart(context, session, recorded)) }));
      },
    }),
    operation({
      id: 'emptyCart',
      method: 'delete',
      path: '/shopping-cart',
      access: 'visitor',
      summary: 'Abandons the cart and releases its places; returns the empty cart',
      description:
        'A later item begins a new cart. An order whose payment failed, and which is the cart again, is abandoned, too.',
      query: langQuery,
      answers: { 200: Cart },
      example: { answer: edition.examples.noCart },
      handle: async ({ visitor }) => {
        const { session } = visitor;
        const recorded = session && (await readRecordedCart(context, session));
        // That which is shown: an order whose payment failed may be the cart again.
        const shown = session && !(recorded && hasExpired(recorded)) && (await findCart(context, session, recorded));
        const cartId = shown ? shown.id : session?.cartId;
        if (session && cartId) {
          await abandonCart(context.orders, session.institution, cartId);
          await context.sessions.update(session, (current) =>
            current.cartId === cartId ? { cartId: null, awaiting: removeAwaitedOrder(current, cartId) } : undefined,
          );
        }
        return ok(await viewCart(visitor, { order: undefined }));
      },
    }),
    operation({
      id: 'addToCart',
      method: 'post',
      path: '/shopping-cart/items',
      access: 'visitor',
      summary: 'Adds places to the cart, all of them or none, and holds them until `expiresAt`',
      description:
        'One item per place. Without a session one is created, and its token is in X-auth-token. Tariffs with a ' +
        'criterion need `contactNumber`; the cart has the discounts of the contact that was named last.' +
        (isExperimental ? ' `items` adds several at once: a refusal of one names it, and adds none.' : ''),
      query: langQuery,
      body: NewItem,
      answers: { 201: Cart },
      answerHeaders: ['X-auth-token'],
      errors: ['cart_places_unavailable', 'cart_too_many_places', 'cart_hold_limit', 'order_busy', ...tariffErrors],
      example: {
        body: {
          performanceId: examples.ids.performance,
          seatCategoryId: examples.ids.category,
          tariffId: examples.ids.tariff,
          quantity: 1,
        },
        answer: edition.examples.cart,
      },
      handle: async ({ visitor, body, idempotencyKey }) => {
        const items = 'items' in body ? body.items : [body];
        for (const { contactNumber } of items) if (contactNumber !== undefined) requireContact(visitor, contactNumber);
        const performanceIds = items.map(({ performanceId }) => performanceId);
        const named = items.length > 1 ? '$.items' : undefined;
        await requireNotOver(context, visitor.pointOfSale.institution, performanceIds, named);
        const { cart, newSession } = await fillCart(context, visitor, items, idempotencyKey ?? createId('req'));
        return created(await viewCart(visitor, { order: cart }), `${visitor.base}/shopping-cart`, {
          headers: toAnswerHeaders(newSession),
          subjects: listSubjects(visitor, cart),
        });
      },
    }),
    operation({
      id: 'changeInCart',
      method: 'patch',
      path: '/shopping-cart/items/{id}',
      access: 'session',
      summary: 'Changes the tariff or the beneficiary of an item',
      description: 'The place stays; another tariff has another price.',
      params: itemParams,
      query: langQuery,
      body: ItemChange,
      answers: { 200: Cart },
      errors: [...changeErrors, ...tariffErrors],
      example: { ...example, body: { beneficiaryFirstName: 'Ana' }, answer: edition.examples.cart },
      handle: async ({ visitor, params, body, idempotencyKey }) => {
        if (body.contactNumber !== undefined) requireContact(visitor, body.contactNumber);
        const { institution, cartId } = requireCart(visitor, params.id);
        const { beneficiaryFirstName, beneficiaryLastName, ...more } = body;
        const change = {
          requestId: idempotencyKey ?? createId('req'),
          ...more,
          beneficiaryFirstName: toStoredName(beneficiaryFirstName),
          beneficiaryLastName: toStoredName(beneficiaryLastName),
        };
        const outcome = await context.orders.changeLine(institution, cartId, params.id, change);
        const cart = toShownCart(outcome);
        return ok(await viewCart(visitor, cart), { subjects: listSubjects(visitor, cart.order) });
      },
    }),
    operation({
      id: 'removeFromCart',
      method: 'delete',
      path: '/shopping-cart/items/{id}',
      access: 'session',
      summary: 'Removes an item from the cart and releases its place',
      description: 'Returns the cart that is left.',
      params: itemParams,
      query: langQuery,
      answers: { 200: Cart },
      errors: changeErrors,
      example: { ...example, answer: edition.examples.cart },
      handle: async ({ visitor, params }) => {
        const { institution, cartId } = requireCart(visitor, params.id);
        const outcome = await context.orders.removeLine(institution, cartId, params.id);
        return ok(await viewCart(visitor, toShownCart(outcome)));
      },
    }),
  ];
}

/** The user, and the past or future buyer of the order. */
const listSubjects = ({ session }: Visit, order: Order | undefined): readonly string[] => [
  ...(order ? [formatCartSubject(order.id)] : []),
  ...[session?.contactNumber, order?.contactNumber].flatMap((number) => number ?? []),
];

/** @throws {PosFault} not_found without a cart or for a malformed id */
const requireCart = ({ session }: Visit, itemId: string): { readonly institution: string; readonly cartId: string } => {
  if (!session || session.cartId === null || !isId(itemId)) throw createNotFoundFault();
  return { institution: session.institution, cartId: session.cartId };
};

/** @throws {PosFault} not_found if the cart has ended, else as {@link requireDone} */
const toShownCart = (outcome: Outcome): ShownCart => {
  const { reason, order } = outcome;
  if (order && (reason === 'cart_expired' || (reason === 'cart_gone' && order.state === 'expired')))
    return { order, isExpired: true };
  return { order: requireDone(outcome, 'item') };
};
