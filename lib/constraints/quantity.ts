/**
 * Kubernetes quantities ("1500m", "3Gi", "0.5", "2e3") as whole numbers and back, exactly: all
 * arithmetic is on integers, never on floating point.
 */

const QUANTITY = /^([+-]?)(\d*)(?:\.(\d*))?(?:([numkMGTPE])|([KMGTPE])i|[eE]([+-]?\d+))?$/;
const DECIMAL_EXPONENT: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const BINARY_SUFFIXES = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const DECIMAL_SUFFIXES = ['', 'k', 'M', 'G', 'T', 'P', 'E'];
const BINARY_LETTERS = ' KMGTPE';

/** Further than this from the decimal point, a digit can only saturate or round up. */
const FAR = 40;
const LARGEST = BigInt(Number.MAX_SAFE_INTEGER);

/** How many decimal places of a resource are counted: cpu in thousandths, all else in ones. */
const placesOf = (resource: string): number => (resource === 'cpu' ? 3 : 0);

/** Whether Kubernetes writes amounts of `resource` with Ki, Mi, Gi. */
const isBytes = (resource: string): boolean =>
  resource === 'memory' || resource === 'ephemeral-storage' || resource.startsWith('hugepages-');

/**
 * The amount that `quantity` spells, as an integer in the resource's own unit (see Resources), or
 * undefined where it is no quantity. A fraction of the unit is rounded away from zero, as
 * kube-scheduler does: "100m" of memory is 1 byte. Beyond ±Number.MAX_SAFE_INTEGER it is that.
 * Negative quantities are quantities; who may not have them refuses them (see firstNegative).
 *
 * Example: parseAmount('cpu', '1.5') is 1500; parseAmount('memory', '1.5Gi') is 1610612736.
 * Source: kubernetes v1.36, apimachinery, resource/quantity.go, ParseQuantity.
 */
export function parseAmount(resource: string, quantity: string | number): number | undefined {
  const match = QUANTITY.exec(typeof quantity === 'number' ? String(quantity) : quantity);
  if (!match) return undefined;
  const [, sign, whole = '', fraction = '', decimal, binary, exponent] = match;
  if (whole === '' && fraction === '') return undefined;

  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const tens =
    placesOf(resource) - fraction.length + Number(exponent ?? DECIMAL_EXPONENT[decimal ?? ''] ?? 0);
  const factor = binary === undefined ? 1n : 1024n ** BigInt(BINARY_LETTERS.indexOf(binary));
  const magnitude = roundedUp(digits, tens, factor);
  return magnitude === 0 || sign !== '-' ? magnitude : -magnitude;
}

/** digits × 10^tens × factor, rounded up, at most MAX_SAFE_INTEGER; cheap for any exponent. */
function roundedUp(digits: string, tens: number, factor: bigint): number {
  if (digits === '') return 0;
  const places = digits.length + tens;
  if (places > FAR) return Number.MAX_SAFE_INTEGER;
  if (places < -FAR) return 1;

  // What lies behind 2 × FAR digits is below any unit: its being there is all that counts.
  const kept = digits.slice(0, 2 * FAR);
  const product = (BigInt(kept) + (/[1-9]/.test(digits.slice(2 * FAR)) ? 1n : 0n)) * factor;
  const power = tens + digits.length - kept.length;
  const scaled =
    power >= 0 ? product * 10n ** BigInt(power) : ceilDivide(product, 10n ** BigInt(-power));
  return scaled > LARGEST ? Number.MAX_SAFE_INTEGER : Number(scaled);
}

const ceilDivide = (dividend: bigint, divisor: bigint): bigint =>
  (dividend + divisor - 1n) / divisor;

/**
 * `amount` in the form in which Kubernetes writes it: the largest suffix that keeps it whole.
 *
 * Example: cpu 1600 is "1600m", cpu 2000 is "2", memory 3221225472 is "3Gi", pods 6 is "6".
 * Source: kubernetes v1.36, apimachinery, resource/quantity.go, CanonicalizeBytes.
 */
export function formatAmount(resource: string, amount: number): string {
  if (isBytes(resource)) return withSuffix(amount, 1024, BINARY_SUFFIXES);
  if (resource === 'cpu' && amount % 1000 !== 0) return `${amount}m`;
  return withSuffix(resource === 'cpu' ? amount / 1000 : amount, 1000, DECIMAL_SUFFIXES);
}

function withSuffix(amount: number, step: number, suffixes: readonly string[]): string {
  let value = amount;
  let at = 0;
  while (value !== 0 && value % step === 0 && at < suffixes.length - 1) {
    value /= step;
    at += 1;
  }
  return `${value}${suffixes[at]}`;
}
