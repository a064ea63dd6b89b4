export { payments } from './app.ts';
