export { orders } from './app.ts';
export { computePaid, computeRefunded, type State } from './domain/order/order.ts';
export { unpaidStates } from './domain/order/state.ts';
export type { OrderWork } from './follows.ts';
export { type OrderDocument, ordersCollection } from './store.ts';
