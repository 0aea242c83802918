import {
  ConditionFailed,
  type Item,
  type Key,
  type Table,
  TransactionFailed,
  type Update,
  type Write,
} from '#shared/platform/table/port.ts'
import { holds } from './condition.ts'

/** The maximum number of stored usage events: nothing reads them here, and a growing heap would distort the measurement. */
const keptEvents = 10_000

/**
 * The part of the table port that the gateway uses, in memory, so that the measurement excludes the database. Conditions are
 * checked and transactions are atomic, as in the real one.
 */
export function memoryTable(seed: readonly Item[]): Table {
  const items = new Map<string, Item>(seed.map((item) => [textOf(item), item]))
  const events: string[] = []

  function store(item: Item): void {
    const key = textOf(item)
    items.set(key, item)
    if (!item.sk.startsWith('usage#')) return
    events.push(key)
    if (events.length < 2 * keptEvents) return
    for (const old of events.splice(0, keptEvents)) items.delete(old)
  }

  function refusal(write: Write): Item | undefined | true {
    const found = items.get(textOf(keyOf(write)))
    return write.if === undefined || holds(write.if, found, write.values) ? true : found
  }

  function commit(write: Write): void {
    if ('put' in write) store(write.put)
    else if ('update' in write) store(updated(items.get(textOf(write.update)), write.update, write))
    else if ('delete' in write) items.delete(textOf(write.delete))
  }

  function single(write: Write): void {
    const found = refusal(write)
    if (found !== true) throw new ConditionFailed(found, undefined)
    commit(write)
  }

  return {
    get: async (key) => copy(items.get(textOf(key))),
    getMany: async (keys) => keys.map((key) => copy(items.get(textOf(key)))),
    put: async (item, condition = {}) => single({ put: item, ...condition }),
    async update(key, update) {
      single({ update: key, ...update })
      return { ...(items.get(textOf(key)) as Item) }
    },
    async delete(key, condition = {}) {
      const found = items.get(textOf(key))
      single({ delete: key, ...condition })
      return found
    },
    query: () => Promise.reject(new Error('the gateway makes no queries')),
    async transact(writes) {
      const found = writes.map(refusal)
      if (found.some((each) => each !== true))
        throw new TransactionFailed(
          found.map((item) =>
            item === true ? undefined : { code: 'ConditionalCheckFailed', item },
          ),
          undefined,
        )
      for (const write of writes) commit(write)
    },
  }
}

function textOf({ pk, sk }: Key): string {
  return `${pk}\n${sk}`
}

function keyOf(write: Write): Key {
  if ('put' in write) return write.put
  if ('update' in write) return write.update
  return 'delete' in write ? write.delete : write.check
}

function copy(item: Item | undefined): Item | undefined {
  return item && { ...item }
}

function updated(found: Item | undefined, { pk, sk }: Key, update: Update): Item {
  const { set = {}, add = {}, remove = [], expression } = update
  if (expression !== undefined) throw new SyntaxError(`${expression}: not known here`)
  const item: Item = { ...found, ...set, pk, sk }
  for (const [name, value] of Object.entries(add)) item[name] = Number(item[name] ?? 0) + value
  for (const name of remove) delete item[name]
  return item
}
