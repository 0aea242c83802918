import type { Item } from '#shared/platform/table/port.ts'

type Values = Record<string, unknown>
type Test = (item: Item | undefined, values: Values) => boolean
type Operand = (item: Item | undefined, values: Values) => unknown

const compiled = new Map<string, Test>()

/** Returns whether a condition of the table port holds. @throws SyntaxError for syntax that the gateway does not use */
export function holds(condition: string, item: Item | undefined, values: Values = {}): boolean {
  let test = compiled.get(condition)
  if (test === undefined) compiled.set(condition, (test = compile(condition)))
  return test(item, values)
}

const compare: Record<string, (a: never, b: never) => boolean> = {
  '=': (a, b) => a === b,
  '<>': (a, b) => a !== b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
}

function compile(condition: string): Test {
  const words = condition.match(/[#:]?\w+|<=|>=|<>|[=<>()]/g) ?? []
  let at = 0

  function expect(word: string): void {
    if (words[at++] !== word) throw new SyntaxError(`${condition}: no ${word} at word ${at}`)
  }

  function operand(): Operand {
    const word = words[at++] ?? ''
    const name = word.replace(/^[#:]/, '')
    return word.startsWith(':') ? (_, values) => values[name] : (item) => item?.[name]
  }

  function primary(): Test {
    const word = words[at]
    if (word === '(') {
      at++
      const inner = either()
      expect(')')
      return inner
    }
    if (word === 'attribute_exists' || word === 'attribute_not_exists') {
      at++
      expect('(')
      const attribute = operand()
      expect(')')
      const exists = word === 'attribute_exists'
      return (item, values) => (attribute(item, values) !== undefined) === exists
    }
    const left = operand()
    const operator = compare[words[at++] ?? '']
    if (operator === undefined) throw new SyntaxError(`${condition}: no comparison at word ${at}`)
    const right = operand()
    return (item, values) => {
      const [a, b] = [left(item, values), right(item, values)]
      // A comparison with a missing attribute is false, as in DynamoDB.
      return a !== undefined && b !== undefined && operator(a as never, b as never)
    }
  }

  function both(): Test {
    let test = primary()
    while (words[at] === 'AND') {
      at++
      const [left, right] = [test, primary()]
      test = (item, values) => left(item, values) && right(item, values)
    }
    return test
  }

  function either(): Test {
    let test = both()
    while (words[at] === 'OR') {
      at++
      const [left, right] = [test, both()]
      test = (item, values) => left(item, values) || right(item, values)
    }
    return test
  }

  const test = either()
  if (at < words.length) throw new SyntaxError(`${condition}: ${words[at]} is left over`)
  return test
}
