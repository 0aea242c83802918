import { type Amount, fromFloat } from '../money/amount.ts'
import prices from './prices.json' with { type: 'json' }

/** What a video may be ordered as; the provider chooses what is absent. */
export interface VideoShape {
  seconds?: number | undefined
  size?: string | undefined
}

interface ModelPrice {
  /** What the model makes where the order names nothing. */
  defaults: Required<VideoShape>
  /** USD a second, by size in pixels. */
  sizes: Record<string, number>
}

const models = new Map<string, ModelPrice>(Object.entries(prices.models))

/**
 * The order with the seconds and size that the model takes where the order names none, and the price of it.
 * @returns a price of undefined where the price file has none of this model and size
 */
export function priced(
  model: string,
  shape: VideoShape,
): VideoShape & { price: Amount<'USD'> | undefined } {
  const known = models.get(model)
  const seconds = shape.seconds ?? known?.defaults.seconds
  const size = shape.size ?? known?.defaults.size
  const perSecond = size === undefined ? undefined : known?.sizes[size]
  const price =
    perSecond === undefined || seconds === undefined
      ? undefined
      : fromFloat('USD', perSecond * seconds, 'up')
  return { ...(seconds !== undefined && { seconds }), ...(size !== undefined && { size }), price }
}
