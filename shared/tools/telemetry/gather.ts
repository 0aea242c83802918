/**
 * Collects the items of one key within a turn of the event loop and processes them together: a function gets the
 * messages of a batch concurrently.
 * @param carryOut returns a result for each item, in the order of the items
 */
export function batchPerTurn<Item, Result>(
  carryOut: (key: string, items: readonly Item[]) => Promise<readonly Result[]>,
): (key: string, item: Item) => Promise<Result> {
  const waiting = new Map<string, { items: Item[]; results: Promise<readonly Result[]> }>()

  function begin(key: string) {
    const items: Item[] = []
    const results = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      waiting.delete(key)
      return carryOut(key, items)
    })
    const group = { items, results }
    waiting.set(key, group)
    return group
  }

  return async (key, item) => {
    const { items, results } = waiting.get(key) ?? begin(key)
    const place = items.push(item) - 1
    const result = (await results)[place]
    if (result === undefined) throw new TypeError('a result is required for each item')
    return result
  }
}
