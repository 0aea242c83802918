import fc from 'fast-check'

/** With FUZZ_SEED, all properties use this seed. Without it, each property has a random one. */
const { FUZZ_SEED } = process.env
if (FUZZ_SEED !== undefined) fc.configureGlobal({ seed: Number(FUZZ_SEED) })
