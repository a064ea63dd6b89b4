export * from './caller.ts';
