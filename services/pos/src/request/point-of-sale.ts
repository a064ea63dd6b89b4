import {
  type AnyOperation,
  createNullableSchema,
  createView,
  currency,
  named,
  ok,
  oneOf,
  selectText,
} from '@boxoffice/http';
import { Type } from 'typebox';
import { catalogValues } from '../clients/generated/catalog.ts';
import { langQuery } from '../description/schemas.ts';
import { listAcceptedMethods } from '../orders/buyer.ts';
import type { PosContext } from './context.ts';
import { buildSharedHeaders, operation } from './visit.ts';

const { Array: List, Integer, Number: Real, Object: Members, String: Text } = Type;

const colour = (description: string) => Text({ description });
const address = (description: string) => createNullableSchema(Text({ description }));

const Branding = named(
  'ShopBranding',
  Members({
    colours: Members(
      {
        accent: colour('of buttons and highlights'),
        ink: colour('of text; its contrast on `paper` is at least 4.5'),
        paper: colour('of the ground'),
      },
      { description: '`#rrggbb`' },
    ),
    logo: createNullableSchema(
      Text({ description: 'an SVG image of at most 20 KB, without script and references to elsewhere; null: none' }),
    ),
  }),
);

const Links = named(
  'ShopLinks',
  Members({
    terms: address('of sale; null: none'),
    privacy: address('how personal data are used; null: none'),
    contact: address('a page (https) or `mailto:`; null: none'),
  }),
);

const PointOfSale = named(
  'ShopPointOfSale',
  Members({
    serviceHost: Text({ description: 'the value of X-Service-Host' }),
    name: Text({ description: 'in the wanted language' }),
    languages: List(Text(), { description: 'BCP 47; the first is the default' }),
    currency,
    maxPlacesPerOrder: Integer({ description: 'in a cart or order' }),
    holdMinutes: Real({ description: 'how long places are held for a cart; fractions allowed' }),
    paymentMethods: List(oneOf(catalogValues['FoundPointOfSale.paymentMethods']), {
      description: 'that a checkout accepts now',
    }),
    requireTerms: Type.Boolean({ description: 'true: a checkout needs `termsAccepted`' }),
    branding: createNullableSchema(Branding),
    links: Links,
  }),
);

const exampleOfPointOfSale = {
  serviceHost: 'tickets.opera.example',
  name: 'Web shop',
  languages: ['fr', 'en', 'de'],
  currency: 'CHF',
  maxPlacesPerOrder: 8,
  holdMinutes: 15,
  paymentMethods: ['external'],
  requireTerms: false,
  branding: {
    colours: { accent: '#8c1d18', ink: '#1b1b1f', paper: '#fffdf8' },
    logo: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><circle cx="8" cy="8" r="7"/></svg>',
  },
  links: { terms: 'https://www.opera.example/terms', privacy: null, contact: 'mailto:tickets@opera.example' },
};

const view = createView(PointOfSale);

const NO_LINKS = { terms: null, privacy: null, contact: null };

export function createPointOfSaleRoutes(context: Pick<PosContext, 'simulated' | 'payments'>): AnyOperation[] {
  return [
    operation({
      id: 'viewPointOfSale',
      method: 'get',
      path: '/point-of-sale',
      access: 'visitor',
      summary: 'Returns the settings of the point of sale: languages, limits, payment methods, look and links',
      description: 'At most 3 seconds old. The first of `languages` is the default.',
      query: langQuery,
      answers: { 200: PointOfSale },
      compressed: true,
      example: { answer: exampleOfPointOfSale },
      handle: ({ visitor }) => {
        const { pointOfSale, languages } = visitor;
        const paymentMethods = listAcceptedMethods(context, pointOfSale);
        const { branding = null, links } = pointOfSale;
        const name = selectText(pointOfSale.name, languages);
        const shown = { ...pointOfSale, name, paymentMethods, branding, links: links ?? NO_LINKS };
        return ok(view(shown), { headers: buildSharedHeaders(visitor) });
      },
    }),
  ];
}
