import { validationError } from './errors.ts'
import { keyValueError, MAX_HASH_BYTES, MAX_RANGE_BYTES, prefixEnd, sortable } from './keys.ts'
import { isKeyType, readPage, sourceOf, startOf } from './page.ts'
import type { Source } from './page.ts'
import type { Session } from './plan.ts'
import type { Inputs, KeyCondition, QueryInput } from './requests.ts'
import type { Bound } from './rows.ts'
import { attributeNames } from './table.ts'

/** Reads one partition of a table or index in range key order. */
export function query(session: Session, input: Inputs['Query']): object {
  const source = sourceOf(session, input)
  const [hashName = '', rangeName] = keyAttributes(source)
  const { hash, range } = conditions(source, input, hashName, rangeName)
  for (const name of [hashName, rangeName]) {
    if (name !== undefined && input._filter?.pathHeads[name]) {
      throw validationError(
        'Filter Expression can only contain non-primary key attributes: ' +
          `Primary key attribute: ${name}`,
      )
    }
  }
  const partition = sortable(hash.AttributeValueList[0])
  const bounds = range ? boundsOf(range) : []
  const after = startOf(source, input.ExclusiveStartKey)
  if (after && !after.indexed.hash.equals(partition)) {
    throw validationError(
      'The provided starting key is outside query boundaries based on provided conditions',
    )
  }
  if (after && !bounds.every((bound) => within(after.indexed.range, bound))) {
    throw validationError('The provided starting key does not match the range key predicate')
  }
  return readPage(session, input, {
    ...source,
    hash: partition,
    bounds,
    descending: input.ScanIndexForward === false,
    ...(after && { after }),
  })
}

function keyAttributes({ table, index }: Source): string[] {
  return attributeNames((index ?? table.description).KeySchema)
}

function conditions(
  { table }: Source,
  { KeyConditions }: QueryInput,
  hashName: string,
  rangeName: string | undefined,
): { hash: KeyCondition; range: KeyCondition | undefined } {
  const hash = KeyConditions[hashName]
  const range = rangeName === undefined ? undefined : KeyConditions[rangeName]
  const count = Object.keys(KeyConditions).length
  if (!hash) throw validationError(`Query condition missed key schema element: ${hashName}`)
  if (count > 1 && !range) {
    const missed = rangeName === undefined
    throw validationError(
      missed
        ? 'Query key condition not supported'
        : `Query condition missed key schema element: ${rangeName}`,
    )
  }
  if (hash.ComparisonOperator !== 'EQ') throw validationError('Query key condition not supported')
  const typed = (name: string, condition: KeyCondition) =>
    condition.AttributeValueList.every((value) => isKeyType(table, name, value))
  if (!typed(hashName, hash) || (range && !typed(rangeName!, range))) {
    throw validationError(
      'One or more parameter values were invalid: Condition parameter type does not match ' +
        'schema type',
    )
  }
  const errors = [
    ...hash.AttributeValueList.map((it) => keyValueError(hashName, it, MAX_HASH_BYTES)),
    ...(range?.AttributeValueList ?? []).map((it) =>
      keyValueError(rangeName!, it, MAX_RANGE_BYTES),
    ),
  ]
  const error = errors.find((it) => it !== undefined)
  if (error !== undefined) throw validationError(error)
  return { hash, range }
}

function boundsOf({ ComparisonOperator, AttributeValueList }: KeyCondition): Bound[] {
  const [value, upper] = AttributeValueList.map(sortable) as [Buffer, Buffer | undefined]
  switch (ComparisonOperator) {
    case 'EQ':
      return [{ operator: '=', value }]
    case 'LT':
      return [{ operator: '<', value }]
    case 'LE':
      return [{ operator: '<=', value }]
    case 'GT':
      return [{ operator: '>', value }]
    case 'GE':
      return [{ operator: '>=', value }]
    case 'BETWEEN':
      return [
        { operator: '>=', value },
        { operator: '<=', value: upper! },
      ]
    case 'BEGINS_WITH': {
      const end = prefixEnd(value)
      const from: Bound = { operator: '>=', value }
      return end ? [from, { operator: '<', value: end }] : [from]
    }
  }
}

function within(range: Buffer, { operator, value }: Bound): boolean {
  const order = Buffer.compare(range, value)
  if (operator === '=') return order === 0
  if (operator.startsWith('<')) return order < 0 || (order === 0 && operator === '<=')
  return order > 0 || (order === 0 && operator === '>=')
}
