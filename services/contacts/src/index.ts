export { contacts } from './app.ts';
export { examples, schemas } from './events.ts';
export { type ContactDocument, contactsCollection } from './store.ts';
