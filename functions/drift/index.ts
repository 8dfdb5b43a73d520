import { connect } from '#lib/runtime/connect.ts';
import { withRuntime } from '#lib/runtime/middleware.ts';
import { createDrift } from './drift.ts';

// Runs once per sandbox. A missing setting fails the deployment's first invocation, not the tenth.
const { shell, logger } = await connect('drift', process.env);

/** What Lambda invokes. */
export const handler = withRuntime(createDrift(shell), logger);
