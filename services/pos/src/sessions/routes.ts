import { createUnforeseenFault } from '@boxoffice/envelope';
import { type AnyOperation, created, ok } from '@boxoffice/http';
import { type Static, Type } from 'typebox';
import { abandonCart } from '../cart/cart.ts';
import { examples } from '../description/examples.ts';
import { Contact, Credentials, langQuery, pathId, Session, User } from '../description/schemas.ts';
import type { PosContext } from '../request/context.ts';
import { createNotFoundFault, operation, requireContact, requireSession } from '../request/visit.ts';
import type { SessionDocument } from '../store.ts';
import type { Sessions } from './sessions.ts';

export function createSessionsRoutes(context: PosContext): AnyOperation[] {
  return [
    operation({
      id: 'logIn',
      method: 'post',
      path: '/sessions',
      access: 'newcomer',
      summary: 'Logs in: creates a session, whose token is in X-auth-token',
      description:
        'The session of the request, if there is one, ends, and the new session takes over its cart. After ten wrong ' +
        'passwords in 15 minutes the login is refused for a while.',
      withoutIdempotency: true,
      query: langQuery,
      body: Credentials,
      answers: { 201: Session },
      answerHeaders: ['X-auth-token'],
      errors: ['login_failed'],
      example: { body: { login: examples.session.user, password: 'correct horse battery' }, answer: examples.session },
      handle: async ({ visitor, body }) => {
        const { pointOfSale, session: old, ip, hasLeft } = visitor;
        const { institution, serviceHost } = pointOfSale;
        const attempt = { institution, realm: serviceHost, login: body.login, ip };
        const user = await context.logIns.logIn(attempt, body.password, hasLeft);
        const { id: userId, login, contactNumber } = user;
        // Orders of a guest stay visible after the login; orders of another user do not pass to this one.
        const isOwn = old !== undefined && (old.contactNumber === null || old.userId === userId);
        const { orderIds = [], awaiting = [] } = isOwn ? old : {};
        const cartId = old ? await cartToTakeOver(context, old, isOwn) : null;
        const beginning = { userId, login, contactNumber, cartId, orderIds, awaiting };
        const { session, token } = await context.sessions.begin(pointOfSale, beginning);
        if (old) await context.sessions.end(old);
        return created(view(session, context.sessions), `${visitor.base}/sessions/current`, {
          headers: { 'X-auth-token': token },
        });
      },
    }),
    operation({
      id: 'getSession',
      method: 'get',
      path: '/sessions/current',
      access: 'session',
      summary: 'Returns the session',
      description: 'With the login, if somebody is logged in.',
      query: langQuery,
      answers: { 200: Session },
      example: { answer: examples.session },
      handle: ({ visitor }) => ok(view(requireSession(visitor), context.sessions)),
    }),
    operation({
      id: 'logOut',
      method: 'delete',
      path: '/sessions/current',
      access: 'session',
      summary: 'Ends the session and releases the places of its cart',
      description: 'Its token is refused from then on.',
      query: langQuery,
      answers: { 200: Type.Object({}) },
      example: { answer: {} },
      handle: async ({ visitor }) => {
        const session = requireSession(visitor);
        await context.sessions.end(session);
        if (session.cartId !== null) {
          await abandonCart(context.orders, session.institution, session.cartId).catch((error: unknown) => {
            // The places are released when their hold expires.
            throw createUnforeseenFault(error, { userLoggedOut: true, orderCancelled: false });
          });
        }
        return ok({});
      },
    }),
    operation({
      id: 'getMe',
      method: 'get',
      path: '/users/me',
      access: 'login',
      summary: 'Returns the logged-in user',
      description: 'Without a login it is 401 `login_required`.',
      query: langQuery,
      answers: { 200: User },
      example: { answer: examples.user },
      handle: ({ visitor }) => {
        const { userId, login, contactNumber } = requireSession(visitor);
        return ok({ id: String(userId), login: String(login), contactNumber: String(contactNumber) });
      },
    }),
    operation({
      id: 'getOwnContact',
      method: 'get',
      path: '/contacts/{contactNumber}',
      access: 'login',
      summary: 'Returns the own contact',
      description: 'Another one than the own is 403 `contact_not_accessible`.',
      params: { contactNumber: pathId },
      query: langQuery,
      answers: { 200: Contact },
      errors: ['contact_not_accessible'],
      example: { params: { contactNumber: examples.contactNumber }, answer: examples.contact },
      handle: async ({ visitor, params }) => {
        requireContact(visitor, params.contactNumber);
        const found = await context.contacts.own(visitor.pointOfSale.institution, params.contactNumber);
        if (!found) throw createNotFoundFault();
        const { erasedAt: _, ...contact } = found;
        return ok({ ...contact, criteria: [...contact.criteria] });
      },
    }),
  ];
}

/** Null for another user's order whose payment failed, which stays theirs. */
const cartToTakeOver = async (
  { orders }: Pick<PosContext, 'orders'>,
  { institution, cartId, awaiting = [] }: SessionDocument,
  isOwn: boolean,
): Promise<string | null> => {
  if (cartId === null || isOwn || !awaiting.includes(cartId)) return cartId;
  const order = await orders.get(institution, cartId).catch(() => undefined);
  return order?.listed === false ? cartId : null;
};

const view = (session: SessionDocument, { endOf }: Sessions): Static<typeof Session> => ({
  id: session.sessionId,
  user: session.login,
  contactNumber: session.contactNumber,
  expiresAt: new Date(endOf(session)).toISOString(),
});
