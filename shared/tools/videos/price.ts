import { type Amount, fromFloat } from '#shared/money/amounts/amount.ts'
import prices from './prices.json' with { type: 'json' }

/** The length and size of a video. The provider chooses absent values. */
export interface VideoShape {
  seconds?: number | undefined
  size?: string | undefined
}

interface ModelPrice {
  /** The model's default length and size. */
  defaults: Required<VideoShape>
  /** USD per second, by size in pixels. */
  sizes: Record<string, number>
}

const models = new Map<string, ModelPrice>(Object.entries(prices.models))

/**
 * Completes a shape with the model's default length and size, and adds the price.
 * @returns a price of undefined if the price file does not list this model and size
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
