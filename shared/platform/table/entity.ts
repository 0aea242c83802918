import type * as z from 'zod'
import type { Item, Key, Table } from './port.ts'

/** The names in a key's template: `user#{userId}` has `userId`. */
type Names<Template extends string> = Template extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Names<Rest>
  : never

type Values<Template extends string> = Readonly<Record<Names<Template>, string>>

/** The type of optional declarations. */
type Text = string | undefined

export interface Declaration<
  Pk extends string,
  Sk extends string,
  Schema extends z.ZodType,
  Id extends Text = Text,
  Count extends Text = Text,
> {
  /** The name of one row, in the singular: `session`. */
  name: string
  /** The prefix of the rows' ids, usually three letters: `newId(rows.id)` returns an id. */
  id?: Id
  /**
   * The name of the attribute in a user's row that holds the number of these rows of that user, such as `swarmCount`.
   * `userCounter(userId, rows, limit)` increments it.
   */
  count?: Count
  /** Template of the partition key: `user#{userId}`. */
  pk: Pk
  /** Template of the sort key: `session#{hash}`. */
  sk: Sk
  /** Templates of the keys in the index gsi1, if the rows are in it. */
  gsi1?: { pk: string; sk: string }
  /**
   * The schema of the attributes except the keys. Created when the first row is read, because creating all schemas
   * would slow every cold start.
   */
  schema: () => Schema
  /** Incremented with changes that rows of the previous version do not match; `upgrade` converts such rows. */
  version?: number
  /** @param version the version that wrote the row */
  upgrade?: (attributes: Record<string, unknown>, version: number) => Record<string, unknown>
}

/** A kind of row of the table, with its key, schema and versions, declared once by the noun that owns it. */
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
  /** Returns the beginning of the sort key up to the first name without a value, for queries. */
  prefix(values?: Partial<Values<Sk>>): string
  /** Returns the row in an item. @throws Error with the entity's name if the item does not match the schema */
  parse(item: Item): z.output<Schema>
  /** Reads the row with a key. @returns undefined if it does not exist or has expired */
  find(
    table: Pick<Table, 'get'>,
    values: Values<Pk> & Values<Sk>,
    options?: { consistent?: boolean },
  ): Promise<z.output<Schema> | undefined>
  /** Returns the item for a row. @param more attributes outside the schema: index keys, `expiresAt` */
  put(
    values: Values<Pk> & Values<Sk>,
    row: z.output<Schema>,
    more?: Readonly<Record<string, unknown>>,
  ): Item
  /** Returns the attributes without a key, for writes through a user's store. */
  attributes(
    row: z.output<Schema>,
    more?: Readonly<Record<string, unknown>>,
  ): Record<string, unknown>
}

/**
 * Declares one kind of row: `entity({ name: 'swarm', pk: 'user#{userId}', sk: 'swarm#{id}', … })`.
 * docs/reference/table.md quotes the comment above a declaration. A function's bundle does not contain unused
 * declarations.
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
  const key: Entity<Pk, Sk, Schema>['key'] = (values) => ({
    pk: filled(partition, values),
    sk: filled(sort, values),
  })
  function parse(item: Item): z.output<Schema> {
    schema ??= declared.schema()
    const written = Number(item.entityVersion ?? 1)
    const { pk: _pk, sk: _sk, gsi1pk: _gsi1pk, gsi1sk: _gsi1sk, ...rest } = item
    const current = written < version && upgrade ? upgrade(rest, written) : rest
    const parsed = schema.safeParse(current)
    if (parsed.success) return parsed.data
    // Only the paths are reported, because values may be secret.
    const paths = parsed.error.issues.map(({ path }) => path.join('.') || 'the row').join(', ')
    throw new Error(`The row is not a valid ${name}: ${paths}`)
  }
  return {
    declared,
    id: declared.id as Id,
    count: declared.count as Count,
    pk: (values) => filled(partition, values),
    sk: (values) => filled(sort, values),
    key,
    prefix: (values = {}) => fill(sort, values),
    attributes,
    put: (values, row, more) => ({ ...attributes(row, more), ...key(values) }),
    parse,
    async find(table, values, options) {
      const item = await table.get(key(values), options)
      return item && parse(item)
    },
  }
}

/** Splits a template into alternating fixed texts and names: `a#{b}#{c}` is `['a#', 'b', '#', 'c', '']`. */
function template(text: string): readonly string[] {
  return text.split(/[{}]/)
}

/** @throws Error if a name has no value: a shorter key is the key of another row */
function filled(pieces: readonly string[], values: Readonly<Record<string, string>>): string {
  const lacking = pieces.find((piece, i) => i % 2 === 1 && values[piece] === undefined)
  if (lacking !== undefined) throw new Error(`the key ${pieces[0]}… needs ${lacking}`)
  return fill(pieces, values)
}

/** Returns the text up to the first name without a value. */
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
