import { familyB } from '@boxoffice/http';
import { requireQueue } from '@boxoffice/messaging';
import { integer, readVersion, text, url } from '@boxoffice/runtime';
import {
  createBestEffort,
  createServiceClient,
  type Parts,
  type ServiceDefinition,
  startCompletion,
} from '@boxoffice/service';
import { createCatalog } from './clients/catalog.ts';
import { createContacts } from './clients/contacts.ts';
import { catalogApi } from './clients/generated/catalog.ts';
import { contactsApi } from './clients/generated/contacts.ts';
import { ordersApi } from './clients/generated/orders.ts';
import { paymentsApi } from './clients/generated/payments.ts';
import { ticketsApi } from './clients/generated/tickets.ts';
import { createOrders } from './clients/orders.ts';
import { createPayments } from './clients/payments.ts';
import { createTickets } from './clients/tickets.ts';
import { createRoutes } from './commands.ts';
import { createDemoPages } from './mail/demo.ts';
import { type Mail, type MailOptions, openMail } from './mail/open.ts';
import { mailWork } from './mail/sender.ts';
import { mailSettings, resolveSender } from './mail/server.ts';
import { simulatedPayments } from './orders/buyer.ts';
import { createOrderLink, createOrderLinks, renewOrderLink } from './orders/links.ts';
import { createLostLinks } from './orders/lost-links.ts';
import { createOffers } from './products/offers.ts';
import { eraseContact, queueMails } from './reactions.ts';
import type { PosContext } from './request/context.ts';
import { createAdmit, createContactCriteria, createContext } from './request/visit.ts';
import { createSessions } from './sessions/sessions.ts';
import { createLogIns, createPurchases } from './sessions/users.ts';
import { createShopFront } from './shop/front.ts';
import { createShops } from './shop/shop-list.ts';
import { collections, describeRetention, MAILS_OF_0_3, mailsCollection } from './store.ts';

const settings = {
  catalogUrl: url('CATALOG_URL', { origin: true }),
  contactsUrl: url('CONTACTS_URL', { origin: true }),
  ordersUrl: url('ORDERS_URL', { origin: true }),
  ticketsUrl: url('TICKETS_URL', { origin: true }),
  /** Without it there are no payment methods of providers. */
  paymentsUrl: url('PAYMENTS_URL', { origin: true, optional: true }),
  sessionIdleSeconds: integer('SESSION_IDLE_SECONDS', { default: 1_800, min: 1 }),
  /** Seconds after which a session ends in any case; orders keeps a cart that is never bought for a day. */
  sessionAbsoluteSeconds: integer('SESSION_ABSOLUTE_SECONDS', { default: 43_200, min: 1, max: 86_400 }),
  /** Wrong passwords of one address at an institution within 15 minutes, over all logins. */
  loginFailuresPerAddress: integer('LOGIN_FAILURES_PER_ADDRESS', { default: 300, min: 1 }),
  simulatedPayments,
  /** The point of sale whose shop is at `/shop/`, unless the request's host is that of one. */
  shopHost: text('SHOP_HOST', { optional: true }),
  ...mailSettings,
};

/** Maximum wait for best-effort data in milliseconds: names of tariffs, barcodes, whether a contact was erased. */
const BEST_EFFORT_MS = 1_000;

export interface PosState extends PosContext {
  readonly mail: Mail;
}

const prepare = (parts: Parts<typeof settings>): PosState => {
  const { store, credentials, logger, publicUrl, serviceSecret, metrics, settings: own } = parts;
  const common = { credentials, logger };
  const catalog = createCatalog(createServiceClient(catalogApi, { url: own.catalogUrl, ...common }));
  const contacts = createContacts(createServiceClient(contactsApi, { url: own.contactsUrl, ...common }));
  const context: Omit<PosContext, 'lostLinks'> = {
    pointOfSaleOf: createContext(catalog),
    shops: createShops(catalog),
    sessions: createSessions(store, {
      idleMs: own.sessionIdleSeconds * 1_000,
      absoluteMs: own.sessionAbsoluteSeconds * 1_000,
    }),
    logIns: createLogIns(
      store,
      ({ institution, ip }, event) => logger.info('login refused', { event: `audit.${event}`, institution, peer: ip }),
      own.loginFailuresPerAddress,
    ),
    offers: createOffers(catalog),
    contacts,
    criteriaOf: createContactCriteria(contacts),
    orders: createOrders(createServiceClient(ordersApi, { url: own.ordersUrl, ...common })),
    payments: own.paymentsUrl
      ? createPayments(createServiceClient(paymentsApi, { url: own.paymentsUrl, ...common }))
      : undefined,
    purchases: createPurchases(store),
    tickets: createTickets(createServiceClient(ticketsApi, { url: own.ticketsUrl, ...common })),
    bestEffortCatalog: createBestEffort({ ms: BEST_EFFORT_MS }),
    orderLinks: createOrderLinks(store, publicUrl),
    bestEffortContacts: createBestEffort({ ms: BEST_EFFORT_MS }),
    bestEffortTickets: createBestEffort({ ms: BEST_EFFORT_MS }),
    simulated: () => own.simulatedPayments,
    now: Date.now,
    log: logger,
  };
  const createLink: MailOptions['createLink'] = async (_mail, order, shop) =>
    (await createOrderLink(context, shop, order)).url;
  const mail = openMail({ store, settings: own, serviceSecret, context, createLink, logger, metrics });
  return { ...context, mail, lostLinks: createLostLinks(store, { ...context, mail }) };
};

export const pos: ServiceDefinition<typeof settings, PosState> = {
  name: 'pos',
  version: readVersion(import.meta.url),
  collections,
  retention: (own, context) =>
    describeRetention(own, {
      renewLink: (link) => renewOrderLink(context, link),
      deleteFiles: (mailId) => context.mail.demoFiles.erase([mailId]),
    }),
  settings,
  family: familyB,
  queues: [requireQueue('pos.contact-erased.v1'), requireQueue('pos.mail.v1')],
  calls: [catalogApi, contactsApi, ordersApi, ticketsApi, paymentsApi],
  prepare,
  tags: {
    'point-of-sale': 'What a shop shows on every page: its name, languages, look and links.',
    programme: 'What is on, by day, venue and title.',
    products: 'What the point of sale sells now, with availability and places.',
    sessions: 'The visit of a person, who may log in.',
    users: 'The person who is logged in.',
    contacts: 'The address and wishes of the person who is logged in.',
    'shopping-cart': 'Places and goods that the visitor wants, held for a while.',
    orders: 'The checkout, and the orders of the person who is logged in.',
    tickets: 'The tickets of these orders.',
    'order-links': 'Orders that are shown without a session, to whoever has the link.',
  },
  operations: (_parts, context) => createRoutes(context),
  front: (next, { publicUrl, settings: own }, context) =>
    createDemoPages(
      context.mail.demoFiles,
      createShopFront(
        next,
        {
          publicUrl,
          shopHost: () => own.shopHost,
          sendsMails: context.mail.isOn,
          senderOf: (seller) => resolveSender(own.mailFrom, seller),
        },
        context,
      ),
    ),
  admit: ({ publicUrl }, context) => createAdmit(context, publicUrl),
  reactions: ({ store }, context) => [
    {
      queue: requireQueue('pos.contact-erased.v1'),
      handle: (message) => eraseContact(store, context.orders, message, context.mail.demoFiles),
    },
    { queue: requireQueue('pos.mail.v1'), handle: (message) => queueMails(context, message) },
  ],
  work: { mails: mailWork },
  background: ({ store, logger }, { lostLinks }) => {
    const completion = startCompletion(store, mailsCollection, MAILS_OF_0_3, logger);
    return {
      async close() {
        await lostLinks.settled();
        await completion.close();
      },
    };
  },
};
