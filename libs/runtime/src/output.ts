import { getErrorCode } from './settings/start-fault.ts';

/** As after `… head`: the signal that ends other programs is an error in Node. Not for servers. */
export function endWithReader(output: NodeJS.WriteStream = process.stdout): void {
  output.on('error', (error: Error) => {
    if (getErrorCode(error) !== 'EPIPE') throw error;
    process.exit();
  });
}
