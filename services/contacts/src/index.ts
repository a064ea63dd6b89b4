export { contacts } from './app.ts';
export { examples } from './events.ts';
