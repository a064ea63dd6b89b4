import { describeMessagingConformance } from '@boxoffice/messaging/conformance';
import { createRabbitmqEngine, describeWithBroker } from './broker.ts';

describeWithBroker('with a broker:', (url) => describeMessagingConformance('RabbitMQ', createRabbitmqEngine(url)));
