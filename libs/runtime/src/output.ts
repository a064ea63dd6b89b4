import { getErrorCode } from './settings/start-fault.ts';

/**
 * Ends the process when nobody reads its output any more, as after `… | head`: the signal that ends other programs then
 * is an error in Node, which would print a stack. For commands that print and end, not for servers.
 */
export function endWithReader(output: NodeJS.WriteStream = process.stdout): void {
  output.on('error', (error: Error) => {
    if (getErrorCode(error) !== 'EPIPE') throw error;
    process.exit();
  });
}
