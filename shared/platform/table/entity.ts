import type * as z from 'zod'
import type { Item, Key } from './port.ts'

/** The names in a key's template: `user#{userId}` has `userId`. */
type Names<Template extends string> = Template extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Names<Rest>
  : never

type Values<Template extends string> = Readonly<Record<Names<Template>, string>>

/** What only some kinds of row declare; on their entity it is undefined, in its type too, where they do not. */
type Text = string | undefined

export interface Declaration<
  Pk extends string,
  Sk extends string,
  Schema extends z.ZodType,
  Id extends Text = Text,
  Count extends Text = Text,
> {
  /** What one row is, in the singular: `session`. */
  name: string
  /** What the ids of such rows begin with, usually three letters: `newId(rows.id)` makes one. */
  id?: Id
  /** The attribute of their user's account that counts such rows: `noteCount`, for `userCounter(userId, rows, limit)`. */
  count?: Count
  /** The partition key, with names for what varies: `user#{userId}`. */
  pk: Pk
  /** The sort key likewise: `session#{hash}`. */
  sk: Sk
  /** The keys in the index gsi1, where the rows are in it. */
  gsi1?: { pk: string; sk: string }
  /** Of the attributes without keys. It is made with the first row that is read: making all costs every cold start. */
  schema: () => Schema
  /** Grows with a change that rows of the version before do not fit; `upgrade` then makes them fit. */
  version?: number
  /** @param version the one that the row was written by */
  upgrade?: (attributes: Record<string, unknown>, version: number) => Record<string, unknown>
}

/** One kind of row of the table: its key, its form and its versions, said once, by the noun that owns it. */
export interface Entity<
  Pk extends string = string,
  Sk extends string = string,
  Schema extends z.ZodType = z.ZodType,
  Id extends Text = Text,
  Count extends Text = Text,
> {
  readonly declared: Declaration<Pk, Sk, Schema, Id, Count>
  readonly id: Id
  readonly count: Count
  key(values: Values<Pk> & Values<Sk>): Key
  pk(values: Values<Pk>): string
  sk(values: Values<Sk>): string
  /** The sort key's beginning, up to the first name without a value: for queries. */
  prefix(values?: Partial<Values<Sk>>): string
  /** The row that an item holds. @throws Error that names the entity where the item is not in its form */
  parse(item: Item): z.output<Schema>
  /** The item that holds a row. @param more attributes that are no part of the row: index keys, `expiresAt` */
  put(
    values: Values<Pk> & Values<Sk>,
    row: z.output<Schema>,
    more?: Readonly<Record<string, unknown>>,
  ): Item
  /** The same without a key, for writes through a user's store. */
  attributes(
    row: z.output<Schema>,
    more?: Readonly<Record<string, unknown>>,
  ): Record<string, unknown>
}

/**
 * Declares one kind of row: `entity({ name: 'swarm', pk: 'user#{userId}', sk: 'swarm#{id}', … })`. The comment above a
 * declaration is what docs/table.md says of it. Declarations that a function does not use are left out of its bundle.
 */
/* @__NO_SIDE_EFFECTS__ */
export function entity<
  const Pk extends string,
  const Sk extends string,
  const Schema extends z.ZodType,
  const Id extends Text = undefined,
  const Count extends Text = undefined,
>(declared: Declaration<Pk, Sk, Schema, Id, Count>): Entity<Pk, Sk, Schema, Id, Count> {
  const { name, version = 1, upgrade } = declared
  const partition = template(declared.pk)
  const sort = template(declared.sk)
  let schema: Schema | undefined
  const attributes: Entity<Pk, Sk, Schema>['attributes'] = (row, more) => ({
    ...(row as Record<string, unknown>),
    ...more,
    ...(version > 1 && { entityVersion: version }),
  })
  return {
    declared,
    id: declared.id as Id,
    count: declared.count as Count,
    pk: (values) => fill(partition, values),
    sk: (values) => fill(sort, values),
    key: (values) => ({ pk: fill(partition, values), sk: fill(sort, values) }),
    prefix: (values = {}) => fill(sort, values),
    attributes,
    put: (values, row, more) => ({
      ...attributes(row, more),
      pk: fill(partition, values),
      sk: fill(sort, values),
    }),
    parse(item) {
      schema ??= declared.schema()
      const written = Number(item.entityVersion ?? 1)
      const { pk: _pk, sk: _sk, gsi1pk: _gsi1pk, gsi1sk: _gsi1sk, ...attributes } = item
      const current = written < version && upgrade ? upgrade(attributes, written) : attributes
      const parsed = schema.safeParse(current)
      if (parsed.success) return parsed.data
      // The paths alone: values may be secret.
      const paths = parsed.error.issues.map(({ path }) => path.join('.') || 'the row').join(', ')
      throw new Error(`A row is no ${name}: ${paths}`)
    },
  }
}

/** What stands between names, and the names: `a#{b}#{c}` is `['a#', 'b', '#', 'c', '']`. */
function template(text: string): readonly string[] {
  return text.split(/[{}]/)
}

/** The text up to the first name without a value. */
function fill(
  pieces: readonly string[],
  values: Readonly<Record<string, string | undefined>>,
): string {
  let filled = ''
  for (const [i, piece] of pieces.entries()) {
    const part = i % 2 === 0 ? piece : values[piece]
    if (part === undefined) break
    filled += part
  }
  return filled
}
