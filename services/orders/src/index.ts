export { orders } from './app.ts';
export { paid, refunded } from './domain/order/money.ts';
export { examples, schemas } from './events.ts';
export { type OrderDocument, ordersCollection } from './store.ts';
