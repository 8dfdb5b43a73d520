import { describe, expect, it } from 'vitest';
import { type Handler, serveFunction } from '#lib/cli/local/local-function.ts';
import { someTimers } from '#test/build/timers.ts';

function served(handlerOf: (sandbox: number) => Handler) {
  const { timers, pass } = someTimers();
  const started: number[] = [];
  const failures: string[] = [];
  const served = serveFunction({
    name: 'provision',
    timeoutMs: 60_000,
    timers,
    start: (sandbox) => {
      started.push(sandbox);
      return Promise.resolve(handlerOf(sandbox));
    },
    onFailure: (name, error) => failures.push(`${name} ${String(error)}`),
  });
  return { ...served, started, failures, pass };
}

describe('a function of joinery local', () => {
  it('uses a sandbox again that is free, and starts another where none is', async () => {
    const waiting: (() => void)[] = [];
    const { invoke, started } = served(
      (sandbox) => () => new Promise((resolve) => waiting.push(() => resolve(sandbox))),
    );
    const both = [invoke({}), invoke({})];
    await Promise.resolve();
    await Promise.resolve();
    for (const goOn of waiting.splice(0)) goOn();

    expect(await Promise.all(both)).toEqual([1, 2]);
    const third = invoke({});
    await Promise.resolve();
    for (const goOn of waiting.splice(0)) goOn();
    await third;
    expect(started).toEqual([1, 2]);
  });

  it('tells the handler how much of its time is left', async () => {
    const left: number[] = [];
    const { invoke, pass } = served(() => async (_event, context) => {
      left.push(context.getRemainingTimeInMillis());
      await pass(45_000);
      left.push(context.getRemainingTimeInMillis());
    });
    await invoke({});

    expect(left).toEqual([60_000, 15_000]);
  });

  it('says what flew past the handler, and keeps the sandbox', async () => {
    const { invoke, failures, started } = served(() => () => Promise.reject(new Error('a bug')));

    await expect(invoke({})).rejects.toThrow('a bug');
    await expect(invoke({})).rejects.toThrow('a bug');
    expect(failures).toEqual(['provision Error: a bug', 'provision Error: a bug']);
    expect(started).toEqual([1]);
  });
});
