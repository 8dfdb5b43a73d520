/** One seed for every property, so that a failure seen in CI is seen again anywhere. */
import fc from 'fast-check';

const SEED = Number(process.env.JOINERY_SEED ?? 20261121);

fc.configureGlobal({ seed: SEED });
