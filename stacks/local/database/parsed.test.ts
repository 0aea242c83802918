import { beforeEach, describe, expect, test } from 'vitest'
import { openEngine } from './engine.ts'
import type { Engine } from './engine.ts'

const TableName = 'rows'
const key = { pk: { S: 'a' } }

let engine: Engine
beforeEach(() => {
  engine = openEngine({ dir: ':memory:' })
  engine.call('CreateTable', {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  })
})

type Values = Record<string, object>

/** Returns the item after an update, or the reason for its refusal. */
function update(
  expression: string,
  values: Values,
  names: Record<string, string>,
  condition?: string,
) {
  try {
    const { Attributes } = engine.call('UpdateItem', {
      TableName,
      Key: { ...key },
      UpdateExpression: expression,
      ...(condition !== undefined && { ConditionExpression: condition }),
      ExpressionAttributeValues: structuredClone(values),
      ExpressionAttributeNames: { ...names },
      ReturnValues: 'ALL_NEW',
    }) as { Attributes: object }
    return Attributes
  } catch (error) {
    return (error as Error).message
  }
}

describe('a repeated expression', () => {
  test('uses the values and the names of its own request', () => {
    const set = 'SET #n = :v, #m = if_not_exists(#m, :v)'
    const names = { '#n': 'n', '#m': 'm' }
    expect(update(set, { ':v': { S: 'one' } }, names)).toEqual({
      ...key,
      n: { S: 'one' },
      m: { S: 'one' },
    })
    expect(update(set, { ':v': { S: 'two' } }, names)).toEqual({
      ...key,
      n: { S: 'two' },
      m: { S: 'one' },
    })
    expect(update(set, { ':v': { S: 'three' } }, { '#n': 'x', '#m': 'y' })).toEqual({
      ...key,
      n: { S: 'two' },
      m: { S: 'one' },
      x: { S: 'three' },
      y: { S: 'three' },
    })
  })

  test('keeps nothing of an earlier request’s item', () => {
    const append = 'SET #l = list_append(if_not_exists(#l, :none), :more)'
    const names = { '#l': 'l' }
    const more = (text: string) => ({ ':none': { L: [] }, ':more': { L: [{ S: text }] } })
    update(append, more('a'), names)
    expect(update(append, more('b'), names)).toEqual({ ...key, l: { L: [{ S: 'a' }, { S: 'b' }] } })
  })

  test('is validated again for values of other types', () => {
    const names = { '#n': 'n' }
    expect(update('ADD #n :v', { ':v': { N: '1' } }, names)).toEqual({ ...key, n: { N: '1' } })
    expect(update('ADD #n :v', { ':v': { S: 'x' } }, names)).toMatch(/Incorrect operand type/)
    expect(update('ADD #n :v', { ':v': { N: '2' } }, names)).toEqual({ ...key, n: { N: '3' } })
  })

  test('is validated again if the values matter', () => {
    const names = { '#n': 'n' }
    const between = (low: string, high: string) =>
      update(
        'SET #n = :v',
        { ':v': { N: '1' }, ':l': { N: low }, ':h': { N: high } },
        names,
        'NOT #n BETWEEN :l AND :h',
      )
    expect(between('5', '9')).toEqual({ ...key, n: { N: '1' } })
    expect(between('9', '5')).toMatch(/upper bound to be greater/)
    expect(between('10', '11')).toEqual({ ...key, n: { N: '1' } })
    expect(between('0', '2')).toMatch(/conditional request failed/)
    expect(between('11', '10')).toMatch(/upper bound to be greater/)
    const typed = (type: string) =>
      update(
        'SET #n = :v',
        { ':v': { N: '1' }, ':t': { S: type } },
        names,
        'attribute_type(#n, :t)',
      )
    expect(typed('N')).toEqual({ ...key, n: { N: '1' } })
    expect(typed('NONE')).toMatch(/Invalid attribute type name/)
  })

  test('rejects unused names and values each time', () => {
    const names = { '#n': 'n' }
    const values = { ':v': { N: '1' } }
    for (let time = 0; time < 2; time++) {
      expect(update('SET #n = :v', values, names)).toEqual({ ...key, n: { N: '1' } })
      expect(update('SET #n = :v', values, { ...names, '#o': 'o' })).toMatch(
        /unused in expressions: keys: {#o}/,
      )
      expect(update('SET #n = :v', { ...values, ':o': { N: '1' } }, names)).toMatch(
        /unused in expressions: keys: {:o}/,
      )
      expect(update('SET #n = :w', values, names)).toMatch(/not defined; attribute value: :w/)
      expect(update('SET #n = ', values, names)).toMatch(/Syntax error/)
    }
  })

  test('accepts attributes with inherited names', () => {
    const names = { '#p': 'toString', '#c': 'constructor' }
    for (const text of ['a', 'b']) {
      const item = update('SET #p = :v, #c = :v', { ':v': { S: text } }, names) as object
      expect(Object.entries(item)).toEqual(
        expect.arrayContaining([
          ['toString', { S: text }],
          ['constructor', { S: text }],
        ]),
      )
    }
  })
})
