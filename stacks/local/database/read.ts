import { consumed, readUnits } from './capacity.ts'
import type { Usage } from './capacity.ts'
import { mapPaths, validateKeyPaths } from './dynalite.ts'
import { reject } from './errors.ts'
import { readItem } from './items.ts'
import type { StoredItem } from './items.ts'
import { locate } from './plan.ts'
import type { Session } from './plan.ts'
import type { GetInput, Inputs, ParsedProjection } from './requests.ts'
import type { Item } from './values.ts'

export function getItem(session: Session, input: Inputs['GetItem']): object {
  const { found, usage } = read(session, input)
  const capacity = consumed(input, () => [usage])?.[0]
  return {
    ...(found && { Item: projected(found.item, input._projection) }),
    ...(capacity && { ConsumedCapacity: capacity }),
  }
}

/** The response ends at this size; the remaining keys are returned as unprocessed. */
const MAX_BATCH_BYTES = 16 * 1024 * 1024

export function batchGetItem(session: Session, input: Inputs['BatchGetItem']): object {
  const responses: Record<string, Item[]> = {}
  const unprocessed: Record<string, object> = {}
  const usages: Usage[] = []
  let bytes = 0
  for (const [TableName, { Keys, ...options }] of Object.entries(input.RequestItems)) {
    const items: Item[] = (responses[TableName] = [])
    for (const [i, Key] of Keys.entries()) {
      const { found, usage } = read(session, { ...options, TableName, Key })
      bytes += found?.size ?? 0
      if (bytes > MAX_BATCH_BYTES) {
        const { _projection: _, ...wire } = options
        unprocessed[TableName] = { ...wire, Keys: Keys.slice(i) }
        break
      }
      usages.push(usage)
      if (found) items.push(projected(found.item, options._projection))
    }
  }
  const capacity = consumed(input, () => usages)
  return {
    Responses: responses,
    UnprocessedKeys: unprocessed,
    ...(capacity && { ConsumedCapacity: capacity }),
  }
}

/** Reads one item consistently. An expired item is readable until it is swept. */
export function read(
  session: Session,
  input: GetInput,
): { found: StoredItem | undefined; usage: Usage } {
  const { table, key } = locate(session, input.TableName, input.Key)
  reject(validateKeyPaths(input._projection?.nestedPaths, table.description))
  const found = readItem(session.storage, table, key)
  const units = readUnits(found?.size ?? 0, input.ConsistentRead)
  return { found, usage: { table: input.TableName, units } }
}

/** Returns the attributes of an item that a projection selects; all without a projection. */
export function projected(item: Item, projection: ParsedProjection | undefined): Item {
  return projection ? mapPaths(projection.paths, item) : item
}
