import { messagingConformance } from '@boxoffice/messaging/conformance';
import { describeWithBroker } from './broker.ts';
import { rabbitmq } from './engine.ts';

describeWithBroker('a broker is there:', (url) => messagingConformance('RabbitMQ', rabbitmq(url)));
