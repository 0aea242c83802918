import { useEffect, useState } from 'preact/hooks'
import type { Model, TokenUsage } from '../../../../clients/typescript/index.ts'
import { usd } from '../../../app/figures.ts'
import { platform } from '../../../app/platform.ts'
import type { Turn } from './turn.ts'

/** Models by their name, with what a million tokens of each costs. */
export type Prices = ReadonlyMap<string, Model>

const none: Prices = new Map()

/** The models' prices, asked for once there is a turn: they are there when its answer ends. */
export function usePrices(turns: readonly Turn[]): Prices {
  const [prices, setPrices] = useState(none)
  const isWanted = turns.length > 0
  useEffect(() => {
    if (!isWanted) return
    platform.models.list().then(
      (models) => setPrices(new Map(models.map((model) => [model.id, model]))),
      // A turn without its cost is still a turn.
      () => undefined,
    )
  }, [isWanted])
  return prices
}

/** US dollars at the models' present prices, as text; undefined where those are not known. */
export function costOf(
  prices: Prices,
  model: string | null,
  usage: TokenUsage | null,
): string | undefined {
  const { inputCost = null, outputCost = null } = prices.get(model ?? '') ?? {}
  if (usage === null || inputCost === null || outputCost === null) return undefined
  const dollars = (usage.prompt_tokens * inputCost + usage.completion_tokens * outputCost) / 1e6
  return dollars > 0 ? `about ${usd(dollars)}` : usd(0)
}
