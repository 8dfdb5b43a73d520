import { Environment, type ParseResult } from '@marcbachmann/cel-js';

/** What an expression may ask of an instance type. */
export interface ExpressionInputs {
  readonly vcpus: number;
  /** As EC2 describes it, before anything is kept back. */
  readonly memoryMib: number;
  /** Interfaces that the default network card takes. */
  readonly defaultInterfaces: number;
  readonly ipv4PerInterface: number;
  /** In an expression of maxPods what would hold without it; elsewhere what holds. */
  readonly maxPods: number;
  readonly instanceType: string;
}

/** Why an expression cannot be used. */
export interface BadExpression {
  readonly problem: string;
}

/** One of two numbers; whole only where both are. CEL compares them as they are. */
type Pick2 = (a: bigint | number, b: bigint | number) => bigint | number;
const larger: Pick2 = (a, b) => (a > b ? a : b);
const smaller: Pick2 = (a, b) => (a < b ? a : b);
const asDouble =
  (pick: Pick2): Pick2 =>
  (a, b) =>
    Number(pick(a, b));

/**
 * Source: karpenter AWS provider, after v1.14.1, pkg/cel: the variables, and max and min of two.
 */
const ENVIRONMENT = new Environment()
  .registerVariable('vcpus', 'int')
  .registerVariable('memory_mib', 'int')
  .registerVariable('default_enis', 'int')
  .registerVariable('ips_per_eni', 'int')
  .registerVariable('max_pods', 'int')
  .registerVariable('instance_type', 'string')
  .registerFunction('max(int, int): int', larger)
  .registerFunction('max(double, double): double', larger)
  .registerFunction('max(int, double): double', asDouble(larger))
  .registerFunction('max(double, int): double', asDouble(larger))
  .registerFunction('min(int, int): int', smaller)
  .registerFunction('min(double, double): double', smaller)
  .registerFunction('min(int, double): double', asDouble(smaller))
  .registerFunction('min(double, int): double', asDouble(smaller));

// Compiled expressions; losing them costs compiling them again.
const compiled = new Map<string, ParseResult | BadExpression>();
const MOST_COMPILED = 500;

/** Why an expression does not compile to a number; undefined where it does. */
export function expressionProblem(expression: string): string | undefined {
  const program = programOf(expression);
  return isBad(program) ? program.problem : undefined;
}

/**
 * What an expression comes to for one instance type, cut to a whole number, or why it comes to
 * none. Exact to 64 bits where it is whole.
 */
export function evaluate(expression: string, inputs: ExpressionInputs): bigint | BadExpression {
  const program = programOf(expression);
  if (isBad(program)) return program;
  try {
    const value: unknown = program({
      vcpus: BigInt(inputs.vcpus),
      memory_mib: BigInt(inputs.memoryMib),
      default_enis: BigInt(inputs.defaultInterfaces),
      ips_per_eni: BigInt(inputs.ipv4PerInterface),
      max_pods: BigInt(inputs.maxPods),
      instance_type: inputs.instanceType,
    });
    if (typeof value === 'bigint') return value;
    if (typeof value === 'number' && Number.isFinite(value)) return BigInt(Math.trunc(value));
    return { problem: `comes to ${String(value)}, which is no finite number` };
  } catch (error) {
    return { problem: firstLine(error) };
  }
}

/** Whether an evaluation came to nothing. */
export const isBad = (result: ParseResult | bigint | BadExpression): result is BadExpression =>
  typeof result === 'object' && 'problem' in result;

function programOf(expression: string): ParseResult | BadExpression {
  const known = compiled.get(expression) ?? compile(expression);
  if (compiled.size >= MOST_COMPILED) compiled.clear();
  compiled.set(expression, known);
  return known;
}

function compile(expression: string): ParseResult | BadExpression {
  try {
    const program = ENVIRONMENT.parse(expression);
    const { type, error } = program.check();
    if (error !== undefined) return { problem: firstLine(error) };
    if (type === 'int' || type === 'double') return program;
    return { problem: `gives ${type}, and must give an int or a double` };
  } catch (error) {
    return { problem: firstLine(error) };
  }
}

const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
