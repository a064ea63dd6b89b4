export { orders } from './app.ts';
export { computeCountedGoodwill, computeCredit, computeLost, computePaid, computeTotal } from './domain/order/money.ts';
export type { State } from './domain/order/order.ts';
export { unpaidStates } from './domain/order/state.ts';
export { computeBase, listLineTaxes, listStock, listUses } from './domain/price.ts';
export type { OrderWork } from './follows.ts';
export { type OrderDocument, ordersCollection } from './store.ts';
