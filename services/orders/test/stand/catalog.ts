import { randomBytes } from 'node:crypto';
import type { Authority } from '@boxoffice/service/testkit';
import type { HoldRequest, Renewal } from '../../src/clients/stock.ts';
import { openPeer, type PeerStand, type StandIn } from './peer.ts';

interface Place {
  readonly id: string;
  readonly hall: Hall;
  readonly label: string;
  state: 'free' | 'held' | 'sold';
  /** Epoch milliseconds. */
  until: number;
  holder: string | null;
  request: string | null;
  /** The place that it stands for, by that request. */
  replaces?: string | null;
  /** The order's version when it was held again: older facts do not free it. */
  asOf?: number;
}

/** One performance with one seat category and one tariff. */
export interface Hall {
  readonly institution: string;
  readonly performanceId: string;
  readonly seatCategoryId: string;
  readonly tariffId: string;
  readonly currency: string;
  readonly amount: number;
  readonly placeIds: readonly string[];
  readonly startDate: string;
  /** An item that wants so many places of it. */
  item(quantity?: number, placeIds?: readonly string[]): object;
}

export interface CatalogStand extends PeerStand {
  hall(places: number, more?: Partial<Pick<Hall, 'institution' | 'currency' | 'amount' | 'startDate'>>): Hall;
  /** One more tariff of the hall; answers its id. */
  tariff(hall: Hall, amount: number, criterion?: string | null): string;
  /** What becomes of every further hold of the performance. */
  refuse(hall: Hall, reason: string): void;
  /** Milliseconds that a hold lasts. */
  holdMs: number;
  /** How many places are in which state now. */
  count(hall: Hall): { free: number; held: number; sold: number };
  placesOf(holder: string): readonly { readonly id: string; readonly state: string; readonly until: number }[];
  /** Frees what a fact of an order frees; tickets count as cancelled at once. */
  hear(fact: { readonly type: string; readonly version: number; readonly key: string }): void;
  /** Gives a place to somebody else, whoever has it. */
  steal(placeId: string): void;
  /** Makes a place free, whoever has it. */
  giveBack(placeId: string): void;
}

const random = () => randomBytes(6).toString('hex');

/** Stands in for the stock of the catalog: all or none, idempotent by holder and request, holds that end by themselves. */
export const openCatalog = async (authority: Authority): Promise<CatalogStand> => {
  const places = new Map<string, Place>();
  const halls = new Map<string, Hall>();
  const refusals = new Map<string, string>();
  const tariffs = new Map<
    string,
    { readonly hall: Hall; readonly amount: number; readonly criterion: string | null }
  >();
  const isFree = ({ state, until }: Place) => state === 'free' || (state === 'held' && until <= Date.now());
  const of = (holder: string) => [...places.values()].filter((place) => place.holder === holder);
  const free = (place: Place) =>
    Object.assign(place, { state: 'free', until: 0, holder: null, request: null, replaces: null, asOf: 0 });
  const inHall = (hall: Hall) => [...places.values()].filter((place) => place.hall === hall);
  const nameOf = ({ id, label }: Place) => ({ id, label, row: null, seat: null });
  const refused = (reason: string) => ({
    outcome: 'refused',
    refusal: { reason, details: `planted: ${reason}`, item: 0 },
    heldUntil: null,
    pointOfSale: null,
    lines: [],
  });

  const hold: StandIn = {
    id: 'holdPlaces',
    method: 'post',
    path: '/internal/stock/holds',
    act(institution, _params, { holder, requestId, items, heldUntil, pointOfSale, asOf }: HoldRequest) {
      const until = heldUntil === undefined ? Date.now() + stand.holdMs : Date.parse(heldUntil);
      const taken: Place[] = [];
      const lines: object[] = [];
      for (const [index, { performanceId, seatCategoryId, tariffId, quantity, placeIds }] of items.entries()) {
        const hall = halls.get(performanceId);
        const known = hall?.institution === institution && hall.seatCategoryId === seatCategoryId;
        const tariff = tariffs.get(tariffId);
        if (!hall || !known || tariff?.hall !== hall) return refused('unknown_reference');
        const reason = refusals.get(performanceId);
        if (reason) return refused(reason);
        const count = placeIds?.length ?? quantity ?? 1;
        const had = of(holder).filter((place) => place.request === requestId && place.hall === hall);
        const candidates = inHall(hall).filter((place) => isFree(place) && (placeIds?.includes(place.id) ?? true));
        const chosen = [...had, ...candidates.filter((place) => !taken.includes(place))].slice(0, count);
        if (chosen.length < count) return refused('places_unavailable');
        taken.push(...chosen);
        for (const place of chosen)
          lines.push({
            item: index,
            productId: 'prd_1',
            performanceId,
            startDate: hall.startDate,
            seatCategoryId,
            tariffId,
            criterion: tariff.criterion,
            amount: tariff.amount,
            currency: hall.currency,
            place: nameOf(place),
          });
      }
      for (const place of taken) Object.assign(place, { state: 'held', until, holder, request: requestId, asOf });
      const point = pointOfSale === undefined ? null : { serviceHost: pointOfSale.toLowerCase() };
      return { outcome: 'held', refusal: null, heldUntil: new Date(until).toISOString(), pointOfSale: point, lines };
    },
  };

  const change =
    (apply: (place: Place, body: Renewal) => void): StandIn['act'] =>
    (_institution, { holder = '' }, body: Renewal) => {
      const mine = of(holder);
      const late = mine.some((place) => body.placeIds.includes(place.id) && (place.asOf ?? 0) > body.asOf);
      if (late) return { outcome: 'superseded', places: [], missing: [] };
      const missing = body.placeIds.filter((id) => !mine.some((place) => place.id === id));
      if (missing.length > 0) return { outcome: 'refused', places: [], missing };
      const wanted = mine.filter(({ id }) => body.placeIds.includes(id));
      for (const place of wanted) if (place.state === 'held') apply(place, body);
      return { outcome: 'done', places: wanted.map(nameOf), missing: [] };
    };

  const renew: StandIn['act'] = (_institution, { holder = '' }, { requestId, heldUntil, placeIds, asOf }: Renewal) => {
    const until = Date.parse(heldUntil);
    const got = placeIds.map((id) => {
      const place = places.get(id);
      if (place && (place.holder === holder || isFree(place))) return { place, replaces: null };
      const earlier = of(holder).find((one) => one.request === requestId && one.replaces === id);
      if (earlier) return { place: earlier, replaces: id };
      const other = place && inHall(place.hall).find((one) => isFree(one) && !placeIds.includes(one.id));
      return other ? { place: other, replaces: id } : id;
    });
    const missing = got.filter((one) => typeof one === 'string');
    if (missing.length > 0) return { outcome: 'refused', places: [], missing };
    const renewed = got.flatMap((one) => (typeof one === 'string' ? [] : [one]));
    for (const { place, replaces } of renewed)
      if (place.state !== 'sold')
        Object.assign(place, { state: 'held', until, holder, request: requestId, replaces, asOf });
    return {
      outcome: 'done',
      places: renewed.map(({ place, replaces }) => ({ ...nameOf(place), replaces })),
      missing: [],
    };
  };

  const release: StandIn['act'] = (
    _institution,
    { holder = '' },
    {
      placeIds,
      requestId,
      asOf,
    }: { readonly placeIds?: readonly string[]; readonly requestId?: string; readonly asOf: number },
  ) => {
    const released = of(holder).filter(
      ({ id, request, state, asOf: since = 0 }) =>
        state === 'held' &&
        since <= asOf &&
        (placeIds?.includes(id) ?? true) &&
        (requestId === undefined || request === requestId),
    );
    for (const place of released) free(place);
    return { released: released.map(({ id }) => id) };
  };

  const quote: StandIn = {
    id: 'quoteItems',
    method: 'post',
    path: '/internal/stock/quotes',
    act(institution, _params, { items }: Pick<HoldRequest, 'items'>) {
      const quotes = items.flatMap(({ performanceId, tariffId }) => {
        const tariff = tariffs.get(tariffId);
        if (tariff?.hall.performanceId !== performanceId || tariff.hall.institution !== institution) return [];
        return [{ tariffId, criterion: tariff.criterion, amount: tariff.amount, currency: tariff.hall.currency }];
      });
      return quotes.length < items.length
        ? { ...refused('unknown_reference'), quotes: [] }
        : { outcome: 'quoted', refusal: null, quotes };
    },
  };

  const path = '/internal/stock/holds/{holder}';
  const peer = await openPeer(authority, 'catalog', [
    hold,
    quote,
    {
      id: 'extendHold',
      method: 'post',
      path: `${path}/extension`,
      act: change((place, { heldUntil, asOf }) => Object.assign(place, { until: Date.parse(heldUntil), asOf })),
    },
    {
      id: 'sellHold',
      method: 'post',
      path: `${path}/sale`,
      act: change((place) => Object.assign(place, { state: 'sold' })),
    },
    { id: 'renewHold', method: 'post', path: `${path}/renewal`, act: renew },
    { id: 'releaseHold', method: 'post', path: `${path}/release`, act: release },
  ]);

  const stand: CatalogStand = {
    ...peer,
    holdMs: 15 * 60_000,
    hall(
      count,
      { institution = 'opera', currency = 'CHF', amount = 1_000, startDate = '2027-03-14T19:30:00.000Z' } = {},
    ) {
      const performanceId = `prf_${random()}`;
      const seatCategoryId = `cat_${random()}`;
      const tariffId = `trf_${random()}`;
      const placeIds = Array.from({ length: count }, () => `plc_${random()}`);
      const item = (quantity?: number, named?: readonly string[]) => ({
        performanceId,
        seatCategoryId,
        tariffId,
        ...(quantity === undefined ? {} : { quantity }),
        ...(named === undefined ? {} : { placeIds: named }),
      });
      const money = { currency, amount };
      const hall = { institution, performanceId, seatCategoryId, tariffId, ...money, placeIds, startDate, item };
      halls.set(performanceId, hall);
      tariffs.set(tariffId, { hall, amount, criterion: null });
      for (const [index, id] of placeIds.entries())
        places.set(id, { id, hall, label: String(index), state: 'free', until: 0, holder: null, request: null });
      return hall;
    },
    tariff(hall, amount, criterion = null) {
      const tariffId = `trf_${random()}`;
      tariffs.set(tariffId, { hall, amount, criterion });
      return tariffId;
    },
    refuse: ({ performanceId }, reason) => void refusals.set(performanceId, reason),
    count(hall) {
      const all = inHall(hall);
      const sold = all.filter(({ state }) => state === 'sold').length;
      const open = all.filter(isFree).length;
      return { free: open, held: all.length - open - sold, sold };
    },
    hear({ type, version, key }) {
      for (const place of of(key)) {
        if (type === 'order.cancelled') free(place);
        if (type === 'order.expired' && (place.asOf ?? 0) < version) free(place);
      }
    },
    placesOf: (holder) => of(holder).map(({ id, state, until }) => ({ id, state, until })),
    steal(placeId) {
      const place = places.get(placeId);
      if (place) Object.assign(place, { state: 'sold', holder: 'somebody-else', request: 'theirs' });
    },
    giveBack(placeId) {
      const place = places.get(placeId);
      if (place) free(place);
    },
  };
  return stand;
};
