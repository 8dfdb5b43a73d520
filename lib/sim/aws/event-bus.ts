import type { Account, Operations } from './account.ts';
import { missingParameter } from './error.ts';
import { type Fields, structures, text } from './request.ts';

/** PutEvents of EventBridge on a bus of the user's, whose rules nobody knows here: it is told. */
export const eventBusOperations = (account: Account): Operations => ({
  PutEvents: (input) => putEvents(account, input),
});

function putEvents(account: Account, input: Fields): unknown {
  const entries = structures(input, 'Entries');
  if (entries.length === 0) throw missingParameter('Entries');
  for (const entry of entries) {
    account.journal.note({
      at: account.clock.now(),
      source: 'eventbridge',
      text: `${text(entry, 'DetailType')} on bus ${text(entry, 'EventBusName')}`,
      fields: { detail: JSON.parse(text(entry, 'Detail')) },
    });
  }
  return { FailedEntryCount: 0 };
}
