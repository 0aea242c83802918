import { setImmediate } from 'node:timers/promises'

interface Batch<Key, Value> {
  keys: Set<Key>
  answer: Promise<ReadonlyMap<Key, Value>>
}

/**
 * Batches look-ups: the keys that callers request in one turn of the event loop are sent in one request.
 * @param ask sends a request for keys and returns the existing values
 * @param most the maximum number of keys in a request
 * @returns a look-up of one key, which returns undefined if the response does not contain it. If `ask` throws, all
 * look-ups of that request throw
 */
export function batched<Key, Value>(
  ask: (keys: Key[]) => Promise<ReadonlyMap<Key, Value>>,
  most: number,
): (key: Key) => Promise<Value | undefined> {
  let open: Batch<Key, Value> | undefined

  function begin(): Batch<Key, Value> {
    const keys = new Set<Key>()
    const answer = setImmediate().then(() => {
      if (open === batch) open = undefined
      return ask([...keys])
    })
    const batch = { keys, answer }
    return batch
  }

  return async (key) => {
    if (open === undefined || open.keys.size >= most) open = begin()
    const { keys, answer } = open
    keys.add(key)
    return (await answer).get(key)
  }
}
