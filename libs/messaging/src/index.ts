export * from './port.ts';
export { topology } from './topology.ts';
