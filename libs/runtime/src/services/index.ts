export { RowsFault } from './check.ts';
export {
  builtInRows,
  createFixedServices,
  followServices,
  isBuiltIn,
  nameUrlSetting,
  parseRows,
  readPresentRows,
  type ServiceList,
  type ServicesFile,
  servicesFile,
  servicesFileOrData,
  serviceUrls,
  watchServicesFile,
} from './list.ts';
export { type ConsumedQueue, getCalls, isBelow, listQueues, mayCall, type ServiceRow } from './rows.ts';
