import { glob } from 'node:fs/promises'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import * as z from 'zod'
import type { Topic } from '#shared/platform/queues/topic.ts'
import type { Entity } from '#shared/platform/table/entity.ts'

/** One kind of row or message in code: the schema of its reader, and the schema of its writer. */
interface Form {
  /** The version of a row; 1 for a message. */
  version: number
  reads: unknown
  writes: unknown
}

/** All stored data by name: the rows of the table and the messages of queues. */
export interface Forms {
  rows: Record<string, Form>
  messages: Record<string, Form>
}

/** Returns the forms of the current code. */
export async function formsOfCode(): Promise<Forms> {
  const rows = (await exported('shared/**/rows.ts')).filter(isEntity).map(({ declared }) => {
    const { name, version = 1 } = declared
    return [name, { version, ...formOf(declared.schema()) }] as const
  })
  const messages = (await exported('shared/**/topic.ts'))
    .filter(isTopic)
    .map(({ queue, schema }) => [queue, { version: 1, ...formOf(schema()) }] as const)
  return { rows: sorted(rows), messages: sorted(messages) }
}

async function exported(pattern: string): Promise<unknown[]> {
  const values: unknown[] = []
  for await (const path of glob(pattern))
    values.push(...Object.values((await import(pathToFileURL(resolve(path)).href)) as object))
  return values
}

const isEntity = (value: unknown): value is Entity =>
  typeof value === 'object' && value !== null && 'declared' in value

const isTopic = (value: unknown): value is Topic<unknown> =>
  typeof value === 'object' && value !== null && 'queue' in value && 'schema' in value

function formOf(schema: z.ZodType): Pick<Form, 'reads' | 'writes'> {
  const input = { unrepresentable: 'any', target: 'draft-2020-12' } as const
  return {
    reads: z.toJSONSchema(schema, { ...input, io: 'input' }),
    writes: z.toJSONSchema(schema, { ...input, io: 'output' }),
  }
}

const sorted = (entries: (readonly [string, Form])[]) =>
  Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)))
