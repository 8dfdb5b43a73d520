import {
  type AwsCall,
  type AwsOperation,
  type AwsOperations,
  typedCall,
} from '#lib/aws/calls/call.ts';

type Answers = {
  readonly [Name in AwsOperation]?: (
    input: AwsOperations[Name]['input'],
    /** How many calls of this operation came before. */
    at: number,
  ) => unknown;
};

/** An AWS that answers as told, and with nothing where it was told nothing; and what it was asked. */
export function recordingCall(answers: Answers): {
  readonly call: AwsCall;
  readonly asked: (name: AwsOperation) => readonly unknown[];
} {
  const inputs = new Map<string, unknown[]>();
  const byName: Readonly<Record<string, ((input: never, at: number) => unknown) | undefined>> =
    answers;
  return {
    call: typedCall(async (name, input) => {
      const before = inputs.get(name) ?? [];
      inputs.set(name, [...before, input]);
      return (await byName[name]?.(input as never, before.length)) ?? {};
    }),
    asked: (name) => inputs.get(name) ?? [],
  };
}
