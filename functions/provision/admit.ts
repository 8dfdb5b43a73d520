import { connectQueue } from '#lib/runtime/connect-queue.ts';
import { withRuntime } from '#lib/runtime/middleware.ts';
import { createAdmission } from './admission.ts';

const { sender, logger, webhookPath } = connectQueue('admit', process.env);

/** What the webhook's HTTP endpoint invokes. */
export const handler = withRuntime(createAdmission(sender, webhookPath), logger);
