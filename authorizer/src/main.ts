import { runService } from '@boxoffice/service';
import { authorizer } from './app.ts';

await runService(authorizer);
