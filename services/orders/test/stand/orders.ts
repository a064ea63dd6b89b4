import type { Call, Order, Stand } from './stand.ts';

/** Creates an order of so many places of a hall of its own with two places more. */
export const newOrder = async (stand: Stand, places = 2, call: Call = {}) => {
  const hall = stand.catalog.hall(places + 2);
  const { data, status, text } = await stand.call('POST', '', { ...call, body: { items: [hall.item(places)] } });
  if (status !== 201) throw new Error(text);
  return { hall, order: data, path: `/${data.id}` };
};

/** The order as it is now. */
export const read = async (stand: Stand, path: string): Promise<Order> => (await stand.call('GET', path)).data;

export interface Payment {
  readonly id: string;
  readonly status: string;
  readonly amount: number;
  readonly reference?: string | null;
}

/** Records a payment; by default of the whole amount, captured. */
export const pay = (stand: Stand, path: string, body: object = {}, call: Call = {}) =>
  stand.call<Payment>('POST', `${path}/payments`, {
    body: { method: 'card', amount: 2_000, status: 'captured', ...body },
    ...call,
  });

/** Lets a request meet an outage of the catalog; what it leaves is taken back by another instance when that is over. */
export const giveUpElsewhere = async (stand: Stand, request: () => Promise<unknown>): Promise<void> => {
  for (const operation of ['holdPlaces', 'releaseHold']) stand.catalog.mishaps.set(operation, 'fails');
  await request();
  stand.catalog.mishaps.clear();
  await stand.later();
};
