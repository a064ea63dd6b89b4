import { MongoNetworkError, MongoServerError, MongoServerSelectionError } from 'mongodb';
import { StoreUnavailable } from '../../port.ts';

/** The server's codes for what passes: it stops, steps down, is cut off from its set, or cannot finish in time. */
const passing: ReadonlySet<number> = new Set([
  6, // HostUnreachable
  7, // HostNotFound
  50, // MaxTimeMSExpired
  64, // WriteConcernTimeout
  89, // NetworkTimeout
  91, // ShutdownInProgress
  133, // FailedToSatisfyReadPreference
  134, // ReadConcernMajorityNotAvailableYet
  189, // PrimarySteppedDown
  202, // NetworkInterfaceExceededTimeLimit
  262, // ExceededTimeLimit
  9001, // SocketException
  10107, // NotWritablePrimary
  11600, // InterruptedAtShutdown
  11602, // InterruptedDueToReplStateChange
  13435, // NotPrimaryNoSecondaryOk
  13436, // NotPrimaryOrSecondary
]);

/** No connection of the pool became free in time; the driver does not export the class. */
const isCrowded = (error: unknown): boolean => error instanceof Error && error.name === 'MongoWaitQueueTimeoutError';

const isUnavailable = (error: unknown): error is Error =>
  error instanceof MongoNetworkError ||
  error instanceof MongoServerSelectionError ||
  isCrowded(error) ||
  (error instanceof MongoServerError && passing.has(Number(error.code)));

/** The driver's error in the words of the port: StoreUnavailable if it says that the database is not there, else itself. */
export const inWordsOfThePort = (error: unknown): unknown =>
  isUnavailable(error) ? new StoreUnavailable(`MongoDB: ${error.message}`, { cause: error }) : error;
