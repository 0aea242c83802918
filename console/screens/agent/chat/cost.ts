import { useEffect, useState } from 'preact/hooks'
import type { Model, TokenUsage } from '../../../../clients/typescript/index.ts'
import { usd } from '../../../base/figures.ts'
import { platform } from '../../../base/platform.ts'
import type { Turn } from './turn.ts'

/** Models by name, with their prices per million tokens. */
export type Prices = ReadonlyMap<string, Model>

const none: Prices = new Map()

/** Loads the prices once there is a turn, so that they are known when its answer ends. */
export function usePrices(turns: readonly Turn[]): Prices {
  const [prices, setPrices] = useState(none)
  const isWanted = turns.length > 0
  useEffect(() => {
    if (!isWanted) return
    platform.models.list().then(
      (models) => setPrices(new Map(models.map((model) => [model.id, model]))),
      // The chat works without prices.
      () => undefined,
    )
  }, [isWanted])
  return prices
}

/** Returns the cost in US dollars at current prices. Undefined if they are unknown. */
export function turnCost(
  prices: Prices,
  model: string | null,
  usage: TokenUsage | null,
): string | undefined {
  const { inputCost = null, outputCost = null } = prices.get(model ?? '') ?? {}
  if (usage === null || inputCost === null || outputCost === null) return undefined
  const dollars = (usage.prompt_tokens * inputCost + usage.completion_tokens * outputCost) / 1e6
  return dollars > 0 ? `about ${usd(dollars)}` : usd(0)
}
