import { randomBytes } from 'node:crypto';
import { Fault } from '@boxoffice/envelope';
import { type Authority, type Fake, openFake } from '@boxoffice/service/testkit';
import type { Place, PointOfSale, Product, Tariff } from '../../src/clients/catalog.ts';
import { catalogApi } from '../../src/clients/generated/catalog.ts';

const written = { createdAt: '2026-11-20T16:05:12.000Z', updatedAt: '2026-11-20T16:05:12.000Z' };

const random = () => randomBytes(6).toString('hex');

/** A product with one performance and one seat category, and what is free of it. */
export interface Show {
  readonly product: Product;
  readonly performanceId: string;
  readonly seatCategoryId: string;
  free: number;
}

export interface ShowOptions {
  readonly institution?: string;
  readonly type?: Product['type'];
  readonly state?: Product['state'];
  readonly startDate?: string;
  readonly capacity?: number;
  readonly free?: number;
  readonly numbered?: boolean;
  readonly salesFrom?: string;
  /** Amounts by tariff. */
  readonly prices?: Readonly<Record<string, number>>;
  readonly name?: Readonly<Record<string, string>>;
}

export interface CatalogStand extends Fake {
  /** Tariffs of the institution `opera`: everybody's, and the members'. */
  readonly full: Tariff;
  readonly member: Tariff;
  pointOfSale(more?: Partial<PointOfSale>): PointOfSale;
  change(serviceHost: string, more: Partial<PointOfSale>): void;
  show(options?: ShowOptions): Show;
  /** Many at once, without a name of their own. */
  shows(count: number, options?: ShowOptions): Show[];
}

/** A fake of the catalog: what is published, what is free, points of sale. */
export const openCatalog = async (authority: Authority): Promise<CatalogStand> => {
  const hosts = new Map<string, PointOfSale>();
  const shows = new Map<string, { readonly institution: string; readonly show: Show }>();
  let version = 0;
  const tariff = (code: string, criterion: Tariff['criterion']): Tariff => ({
    id: `trf_${code}`,
    code,
    name: { fr: `Tarif ${code}`, en: `Tariff ${code}` },
    criterion,
    ...written,
  });
  const [full, member] = [tariff('full', null), tariff('member', 'member')];
  const of = (institution: string) => [...shows.values()].filter((one) => one.institution === institution);
  const byPerformance = (institution: string, id: string) =>
    of(institution).find(({ show }) => show.performanceId === id)?.show;

  const placesOf = ({ performanceId, seatCategoryId, product, free }: Show): Place[] => {
    const [category] = product.performances[0]?.seatCategories ?? [];
    return Array.from({ length: category?.capacity ?? 0 }, (_, index) => ({
      id: `plc_${performanceId}_${index}`,
      label: `A-${index + 1}`,
      row: category?.numbered ? 'A' : null,
      seat: category?.numbered ? index + 1 : null,
      seatCategoryId,
      free: index < free,
    }));
  };

  const fake = await openFake({
    authority,
    api: catalogApi,
    handlers: {
      findPointOfSale: ({ path: { serviceHost } }) => {
        const found = hosts.get(serviceHost);
        if (!found) throw new Fault('not_found', 'There is no resource with this id.');
        return found;
      },
      listShopProducts: ({ institution, query }) => {
        const mark = `m${version}`;
        const products = of(institution)
          .map(({ show }) => show.product)
          .filter(({ state }) => state === 'running' || state === 'suspended');
        return { mark, published: mark === query.mark ? null : { products, tariffs: [full, member] } };
      },
      getShopAvailability: ({ institution, query }) => ({
        performances: query.performanceIds.split(',').flatMap((id) => {
          const show = byPerformance(institution, id);
          if (!show) return [];
          const [{ capacity = 0 } = {}] = show.product.performances[0]?.seatCategories ?? [];
          return [{ performanceId: id, seatCategories: [{ id: show.seatCategoryId, capacity, free: show.free }] }];
        }),
      }),
      listShopPlaces: ({ institution, path: { performanceId } }) => {
        const show = byPerformance(institution, performanceId);
        if (!show) throw new Fault('not_found', 'There is no resource with this id.');
        return { places: placesOf(show) };
      },
    },
  });

  const pointOfSale: CatalogStand['pointOfSale'] = (more = {}) => {
    const made: PointOfSale = {
      institution: 'opera',
      demo: false,
      serviceHost: `${random()}.example`,
      name: 'Shop',
      languages: ['fr', 'en', 'de'],
      currency: 'CHF',
      tariffIds: [full.id, member.id],
      paymentMethods: ['on_account', 'external', 'simulated'],
      maxPlacesPerOrder: 8,
      holdMinutes: 15,
      corsOrigins: [],
      ...written,
      ...more,
    };
    hosts.set(made.serviceHost, made);
    return made;
  };

  const show: CatalogStand['show'] = (options = {}) => {
    const { institution = 'opera', capacity = 100, free = capacity, numbered = false } = options;
    const { startDate = '2031-05-01T18:30:00.000Z', type = 'show', state = 'running', salesFrom = null } = options;
    const { prices = { [full.id]: 4_500, [member.id]: 3_000 }, name = { fr: 'Pièce', en: 'Play', de: 'Stück' } } =
      options;
    const id = random();
    const [performanceId, seatCategoryId] = [`prf_${id}`, `cat_${id}`];
    const product: Product = {
      id: `prd_${id}`,
      code: id.toUpperCase(),
      type,
      state,
      name,
      description: { fr: 'En trois actes' },
      startDate,
      endDate: startDate,
      priceFrom: null,
      currency: 'CHF',
      ...written,
      performances: [
        {
          id: performanceId,
          productId: `prd_${id}`,
          startDate,
          durationMinutes: 120,
          venue: { name: 'Main hall', city: null },
          timeZone: 'Europe/Zurich',
          salesFrom,
          salesTo: null,
          state: 'on_sale',
          ...written,
          seatCategories: [
            { id: seatCategoryId, code: 'A', name: { fr: 'Parterre', en: 'Stalls' }, numbered, capacity },
          ],
          prices: Object.entries(prices).map(([tariffId, amount]) => ({
            seatCategoryId,
            tariffId,
            amount,
            currency: 'CHF',
          })),
        },
      ],
    };
    const made = { product, performanceId, seatCategoryId, free };
    shows.set(product.id, { institution, show: made });
    version += 1;
    return made;
  };

  return {
    ...fake,
    full,
    member,
    pointOfSale,
    change: (serviceHost, more) => hosts.set(serviceHost, { ...(hosts.get(serviceHost) as PointOfSale), ...more }),
    show,
    shows: (count, options) => Array.from({ length: count }, () => show(options)),
  };
};
