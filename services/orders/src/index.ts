export { orders } from './app.ts';
export { examples } from './events.ts';
