import { messagingConformance } from '@boxoffice/messaging/conformance';
import { describeWithBroker, rabbitmq } from './broker.ts';

describeWithBroker('with a broker:', (url) => messagingConformance('RabbitMQ', rabbitmq(url)));
