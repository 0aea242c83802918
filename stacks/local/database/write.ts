import { consumed, writeUsage } from './capacity.ts'
import { mapPaths } from './dynalite.ts'
import { validationError } from './errors.ts'
import { applyChange } from './items.ts'
import type { ItemChange } from './items.ts'
import { planDelete, planPut, planUpdate } from './plan.ts'
import type { Session } from './plan.ts'
import type { Inputs, Metered } from './requests.ts'
import type { Item } from './values.ts'

export function putItem(session: Session, input: Inputs['PutItem']): object {
  const change = planPut(session, input)
  applyChange(session.storage, change)
  return answer(input, change, input.ReturnValues === 'ALL_OLD' ? change.before?.item : undefined)
}

export function deleteItem(session: Session, input: Inputs['DeleteItem']): object {
  const change = planDelete(session, input)
  applyChange(session.storage, change)
  return answer(input, change, input.ReturnValues === 'ALL_OLD' ? change.before?.item : undefined)
}

export function updateItem(session: Session, input: Inputs['UpdateItem']): object {
  const change = planUpdate(session, input)
  applyChange(session.storage, change)
  return answer(input, change, returned(input, change))
}

function returned(input: Inputs['UpdateItem'], { before, after }: ItemChange): Item | undefined {
  const updated = (item: Item | undefined) => {
    const values = item && mapPaths(input._updates?.paths ?? [], item)
    return values && Object.keys(values).length > 0 ? values : undefined
  }
  switch (input.ReturnValues) {
    case 'ALL_OLD':
      return before?.item
    case 'ALL_NEW':
      return after?.item
    case 'UPDATED_OLD':
      return updated(before?.item)
    case 'UPDATED_NEW':
      return updated(after?.item)
    default:
      return undefined
  }
}

function answer(input: Metered, change: ItemChange, attributes: Item | undefined): object {
  const capacity = consumed(input, () => [writeUsage(change)])?.[0]
  return {
    ...(attributes && { Attributes: attributes }),
    ...(capacity && { ConsumedCapacity: capacity }),
  }
}

/** The maximum number of puts and deletes in one BatchWriteItem, over all tables. */
const MAX_BATCH = 25

/** Writes all or nothing and leaves nothing unprocessed, which is more than DynamoDB guarantees. */
export function batchWriteItem(session: Session, input: Inputs['BatchWriteItem']): object {
  const requests = Object.entries(input.RequestItems).flatMap(([TableName, list]) =>
    list.map((request) => ({ TableName, ...request })),
  )
  if (requests.length > MAX_BATCH) {
    throw validationError('Too many items requested for the BatchWriteItem call')
  }
  const changes = requests.map(({ TableName, PutRequest, DeleteRequest }) => {
    if (PutRequest) return planPut(session, { TableName, Item: PutRequest.Item })
    return planDelete(session, { TableName, Key: DeleteRequest!.Key })
  })
  if (repeatsItem(changes)) {
    throw validationError('Provided list of item keys contains duplicates')
  }
  for (const change of changes) applyChange(session.storage, change)
  const capacity = consumed(input, () => changes.map(writeUsage))
  return { UnprocessedItems: {}, ...(capacity && { ConsumedCapacity: capacity }) }
}

/** Returns whether two keys identify the same item. */
export function repeatsItem(items: Pick<ItemChange, 'table' | 'key'>[]): boolean {
  const names = items.map(({ table, key }) =>
    [table.id, key.hash.toString('base64'), key.range.toString('base64')].join(),
  )
  return new Set(names).size < names.length
}
