import {
  createLineSchema,
  createNullableSchema,
  createView,
  currency,
  httpsOrigin,
  id,
  named,
  oneOf,
  timestamp,
  webAddress,
  webHost,
  webOrigin,
  webOrMailAddress,
} from '@boxoffice/http';
import { type Static, Type } from 'typebox';
import {
  type PointOfSaleDetails,
  paymentMethods,
  paymentProviders,
  providerModes,
  providerStates,
  ticketDeliveries,
} from '../domain/point-of-sale.ts';
import { createdAt, ids, languages, textByLanguage } from '../schemas.ts';
import type { PointOfSaleDocument } from '../store.ts';
import { LOGO_BYTES } from './logo.ts';
import { NewReceiptHead, ReceiptHead, toReceiptHead } from './receipt.ts';

export const serviceHost = Type.String({
  minLength: 1,
  maxLength: 253,
  pattern: '^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:[0-9]{1,5})?$',
  description: 'the value of X-Service-Host in requests; case-insensitive',
});

export const ticketDelivery = oneOf(ticketDeliveries, {
  description:
    'electronic (default): tickets are issued as printed, their codes open the door at once; print: after printing',
});

/** Ten years at most: longer was a slip. */
const shopperCancellationMinutes = createNullableSchema(
  Type.Integer({
    minimum: 0,
    maximum: 5_256_000,
    description:
      'until how long before the first of its performances starts, as it is dated now, a shopper may cancel an ' +
      'order; default 0; null: never',
  }),
);

const colour = (description: string) => Type.String({ pattern: '^#[0-9A-Fa-f]{6}$', description });

const Colours = named(
  'BrandingColours',
  Type.Object({
    accent: colour('of buttons and highlights'),
    ink: colour('of text; its contrast on `paper` is at least 4.5 (WCAG 2.2, 1.4.3)'),
    paper: colour('of the ground'),
  }),
);

const logo = createNullableSchema(
  Type.String({
    minLength: 1,
    maxLength: LOGO_BYTES,
    description:
      'an SVG image of at most 20 KB of shapes, text and gradients: no script, style sheet, animation, `use`, ' +
      'foreign content, DOCTYPE or ' +
      'reference to elsewhere',
  }),
);

const LOOK = 'how its pages, tickets and mails look; null: as the product does';
const NewBranding = named(
  'BrandingInput',
  Type.Object({ colours: Colours, logo: Type.Optional(logo) }, { description: LOOK }),
);
const Branding = named('Branding', Type.Object({ colours: Colours, logo }, { description: LOOK }));

const address = {
  terms: createNullableSchema(webAddress),
  privacy: createNullableSchema(webAddress),
  contact: createNullableSchema(webOrMailAddress),
};

const PAGES = "the institution's own pages, which a shop links to";
const Links = named('ShopPages', Type.Object(address, { description: PAGES }));
const NewLinks = named('PointOfSaleLinksInput', Type.Object(Type.Partial(Links).properties, { description: PAGES }));

const name = named(
  'SalesChannelName',
  Type.Union([createLineSchema({ maxLength: 200 }), textByLanguage], {
    description: 'what its pages, tickets and mails call it: a text for every language, or one by language',
  }),
);

const makeList = <Item extends Type.TSchema>(item: Item, description: string) =>
  Type.Array(item, { maxItems: 10, description });

const ofPayment = {
  returnUrls: makeList(
    httpsOrigin,
    "origins of https that a shop may name in `returnUrl`, where buyers come back to from a provider's page; the " +
      "gateway's own always",
  ),
  refundCredit: Type.Boolean({
    description:
      "default true: credit from a shopper's change or cancellation, a cancelled performance, or money that came " +
      'late or twice is refunded by itself',
  }),
};

const ofPages = {
  imageHosts: makeList(
    webHost,
    'hosts whose images its pages may show, such as images.example.org; others stay posters',
  ),
  frameAncestors: makeList(httpsOrigin, 'origins of https whose pages may embed the shop in a frame; empty: none'),
  requireTerms: Type.Boolean({
    description: 'default false; true: a checkout needs `termsAccepted`, which is recorded with the order',
  }),
};

const selling = { ...ofPayment, ...ofPages };

/** Null, and what is absent at a creation: the default. */
const makeOptional = <Member extends Type.TSchema>(member: Member) => Type.Optional(createNullableSchema(member));

const members = {
  name,
  languages,
  currency,
  corsOrigins: Type.Optional(
    createNullableSchema(
      Type.Array(webOrigin, {
        maxItems: 100,
        description:
          'origins that browsers may call from; empty: all. Names are ASCII (xn--…), as browsers send them; stored ' +
          'in lower case, without the default port',
      }),
    ),
  ),
  tariffIds: Type.Array(id, { maxItems: 500, uniqueItems: true, description: 'the tariffs that it sells' }),
  paymentMethods: Type.Array(oneOf(paymentMethods), {
    maxItems: paymentMethods.length,
    uniqueItems: true,
    description: 'that it accepts; a payment provider (`stripe`) once the institution has keys of it',
  }),
  maxPlacesPerOrder: Type.Integer({ minimum: 1, maximum: 500, description: 'in a cart or order of it' }),
  holdMinutes: Type.Number({
    exclusiveMinimum: 0,
    maximum: 1_440,
    description: 'how long places are held for an order; fractions allowed',
  }),
  ticketDelivery: Type.Optional(ticketDelivery),
  shopperCancellationMinutes: Type.Optional(shopperCancellationMinutes),
  branding: Type.Optional(createNullableSchema(NewBranding)),
  links: Type.Optional(createNullableSchema(NewLinks)),
  returnUrls: makeOptional(ofPayment.returnUrls),
  refundCredit: makeOptional(ofPayment.refundCredit),
  imageHosts: makeOptional(ofPages.imageHosts),
  frameAncestors: makeOptional(ofPages.frameAncestors),
  requireTerms: makeOptional(ofPages.requireTerms),
  receipt: makeOptional(NewReceiptHead),
};

export const NewPointOfSale = named('PointOfSaleInput', Type.Object({ serviceHost, ...members }));
/** A PATCH is merged into it. */
export const Changes = named('PointOfSaleReplacement', Type.Object(members));

export const PointOfSale = named(
  'PointOfSale',
  Type.Object({
    serviceHost: Type.String({ description: 'the value of X-Service-Host' }),
    ...members,
    corsOrigins: Type.Array(Type.String(), { description: 'from which browsers may call; empty: all' }),
    ticketDelivery,
    shopperCancellationMinutes,
    branding: createNullableSchema(Branding),
    links: createNullableSchema(Links),
    ...selling,
    receipt: createNullableSchema(ReceiptHead),
    createdAt: timestamp,
    updatedAt: timestamp,
  }),
);

const { serviceHost: host, name: shopName, languages: spoken } = PointOfSale.properties;

/** What is public of a point of sale before its host is asked for. */
export const Shop = named('Shop', Type.Object({ serviceHost: host, name: shopName, languages: spoken }));

export const viewShop = createView(Shop);

type Written = Static<typeof Changes>;
type Selling = keyof typeof selling;
type Settings = Pick<Written, 'ticketDelivery' | 'shopperCancellationMinutes' | 'branding' | 'links' | 'receipt'> & {
  readonly [Name in Selling]?: Readonly<Written[Name]>;
};

const described = createView(Changes);

export function toPointOfSaleDetails(serviceHost: string, body: Static<typeof Changes>): PointOfSaleDetails {
  return {
    ...described(body),
    serviceHost: serviceHost.toLowerCase(),
    corsOrigins: [...new Set(body.corsOrigins ?? [])],
    ...withDefaults(body),
  };
}

/** Null is a value of its own of `shopperCancellationMinutes`. */
const withDefaults = ({
  ticketDelivery = 'electronic',
  shopperCancellationMinutes = 0,
  branding,
  links,
  receipt,
  ...more
}: Settings) => ({
  ticketDelivery,
  shopperCancellationMinutes,
  branding: branding ? { colours: branding.colours, logo: branding.logo ?? null } : null,
  links: links ? { terms: links.terms ?? null, privacy: links.privacy ?? null, contact: links.contact ?? null } : null,
  returnUrls: [...new Set(more.returnUrls)],
  refundCredit: more.refundCredit ?? true,
  imageHosts: [...new Set(more.imageHosts)],
  frameAncestors: [...new Set(more.frameAncestors)],
  requireTerms: more.requireTerms ?? false,
  receipt: toReceiptHead(receipt),
});

const shown = createView(PointOfSale);

export function toPointOfSaleView(document: PointOfSaleDocument): Static<typeof PointOfSale> {
  return shown({ ...document, ...withDefaults(document) });
}

export const provider = oneOf(paymentProviders);

const keys = {
  mode: createNullableSchema(oneOf(providerModes, { description: 'of the keys; null: there are none' })),
  state: createNullableSchema(oneOf(providerStates, { description: 'a paused one opens no new pages; null: no keys' })),
};

export const ProviderReport = named(
  'PaymentProviderReport',
  Type.Object({
    ...keys,
    changedAt: Type.Optional({ ...timestamp, description: 'when the keys changed; default: now' }),
  }),
);

export const ProviderRow = named('PaymentProvider', Type.Object({ provider, ...keys }));

export const viewProvider = createView(ProviderRow);

export const newPointOfSale = {
  serviceHost: 'tickets.opera.example',
  name: { fr: 'Billetterie en ligne', en: 'Web shop', de: 'Online-Kasse' },
  languages: ['fr', 'en', 'de'],
  currency: 'CHF',
  corsOrigins: ['https://www.opera.example'],
  tariffIds: [ids.tariff],
  paymentMethods: ['external' as const],
  maxPlacesPerOrder: 8,
  holdMinutes: 15,
  ticketDelivery: 'electronic' as const,
  shopperCancellationMinutes: 0,
  branding: {
    colours: { accent: '#8c1d18', ink: '#1b1b1f', paper: '#fffdf8' },
    logo: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><circle cx="8" cy="8" r="7"/></svg>',
  },
  links: {
    terms: 'https://www.opera.example/terms',
    privacy: 'https://www.opera.example/privacy',
    contact: 'mailto:tickets@opera.example',
  },
  returnUrls: ['https://www.opera.example'],
  refundCredit: true,
  imageHosts: ['images.opera.example'],
  frameAncestors: ['https://www.opera.example'],
  requireTerms: false,
  receipt: {
    name: 'Opéra du Lac SA',
    address: 'Place du Lac 1\n1201 Genève',
    taxNumber: 'CHE-123.456.789 TVA',
  },
};

/** One that the demo data do not have, so that the example can be sent. */
export const addedPointOfSale = { ...newPointOfSale, serviceHost: 'agency.opera.example', name: 'Agency' };

export const pointOfSale = { ...newPointOfSale, createdAt, updatedAt: createdAt };
