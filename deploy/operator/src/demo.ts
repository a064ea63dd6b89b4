import type { Command } from './command.ts';

export const demo: readonly Command[] = [];
