// What a shop knows of its point of sale: languages, limits, payment methods, look and links; under vexp only.
import { type AnyOperation, createView, ok, SHARED_MS_HEADER } from '@boxoffice/http';
import type { PosContext } from '../context.ts';
import { exampleOfPointOfSale, PointOfSale } from '../description/point-of-sale.ts';
import { langQuery } from '../description/schemas.ts';
import { acceptsSimulated } from '../orders/buyer.ts';
import { GATEWAY_CACHE_MS } from '../products/offers.ts';
import { operation } from '../request/operation.ts';

const view = createView(PointOfSale);

const NO_LINKS = { terms: null, privacy: null, contact: null };

/** The operation that shops read first. */
export const pointOfSaleRoutes = ({ simulated }: Pick<PosContext, 'simulated'>): AnyOperation[] => [
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
    handle: ({ visitor: { pointOfSale } }) => {
      const paymentMethods = pointOfSale.paymentMethods.filter(
        (method) => method !== 'simulated' || acceptsSimulated(simulated(), pointOfSale),
      );
      const { branding = null, links } = pointOfSale;
      const shown = { ...pointOfSale, paymentMethods, branding, links: links ?? NO_LINKS };
      return ok(view(shown), {
        headers: { [SHARED_MS_HEADER]: String(GATEWAY_CACHE_MS) },
      });
    },
  }),
];
