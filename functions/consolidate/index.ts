import { connect } from '#lib/runtime/connect.ts';
import { withRuntime } from '#lib/runtime/middleware.ts';
import { createConsolidate } from './consolidate.ts';

// Runs once per sandbox. A missing setting fails the deployment's first invocation, not the tenth.
const { shell, logger } = await connect('consolidate', process.env);

/** What Lambda invokes. */
export const handler = withRuntime(createConsolidate(shell), logger);
