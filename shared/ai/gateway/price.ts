import type { Units } from './usage.ts'

/** USD per million tokens, and USD per unit. */
export interface Price {
  input: number
  output: number
  /** The price of prompt tokens that are read from the provider's cache. Default: `input`. */
  cacheRead?: number
  /** The price of prompt tokens that are written to the cache. Default: `input`. */
  cacheWrite?: number
  /** The price of prompt tokens that are written to a cache for an hour. Default: `cacheWrite`. */
  cacheWrite1h?: number
  /** USD per call, in addition to its tokens and units. */
  request?: number
  /** The factors of the prices of tokens of a call whose prompt has more than `above` tokens, cached ones included. */
  long?: { above: number; input: number; output: number }
  /**
   * The prices of units other than tokens, by name: `image`, `second`, `character`, `search`. A name can have further
   * words, such as the quality and the size of an image: `image high 1024x1024`.
   */
  units?: Units
}

/** A price in the price file. */
export interface DatedPrice extends Price {
  /** The prices from a day in UTC on, earliest first. */
  later?: readonly (Price & { from: string })[]
}
