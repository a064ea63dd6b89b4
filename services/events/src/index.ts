export { events } from './app.ts';
export { type EventDocument, eventsCollection } from './store.ts';
