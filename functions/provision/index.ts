import { connect } from '#lib/runtime/connect.ts';
import { withRuntime } from '#lib/runtime/middleware.ts';
import { createProvision } from './provision.ts';

// Runs once per sandbox. A missing setting fails the deployment's first invocation, not the tenth.
const { shell, logger } = await connect('provision', process.env);

/** What Lambda invokes. */
export const handler = withRuntime(createProvision(shell), logger);
