/** The seed of random inputs. `FUZZ_SEED=<the seed of a failure>` repeats them. */
export const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31)
