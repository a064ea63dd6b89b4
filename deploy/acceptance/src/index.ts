export { type Call, type Client, clientOf, type Door, type Reply } from './client.ts';
export { openRush, type Rush, type RushFigures, type RushVerdict } from './rush.ts';
