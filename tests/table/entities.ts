import { glob, readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Entity } from '#shared/platform/table/entity.ts'
import { commentAbove } from '../support/platform/comment-above.ts'

type Declared = Entity['declared'] & {
  /** The comment above the declaration. */
  about: string
}

/** Returns every entity of the domain: the exports of all modules named rows.ts. */
export async function declaredEntities(): Promise<Declared[]> {
  const entities: Declared[] = []
  for await (const path of glob('shared/**/rows.ts')) {
    const module = (await import(pathToFileURL(resolve(path)).href)) as object
    const source = await readFile(path, 'utf8')
    for (const [name, value] of Object.entries(module))
      if (isEntity(value))
        entities.push({
          ...value.declared,
          about: commentAbove(source, `export const ${name} = entity\\(`),
        })
  }
  return entities.toSorted((a, b) => (a.pk + a.sk < b.pk + b.sk ? -1 : 1))
}

function isEntity(value: unknown): value is Entity {
  return typeof value === 'object' && value !== null && 'declared' in value
}

/** Returns the constant text before a template's first name. */
export function headOf(template: string): string {
  return template.split('{', 1)[0] ?? ''
}

function code(...texts: readonly (string | undefined)[]): string {
  return texts
    .filter((text) => text !== undefined)
    .map((text) => `\`${text}\``)
    .join(', ')
}

/** Returns the text of docs/reference/table.md. */
export function tableDocument(entities: readonly Declared[]): string {
  const rows = entities.map(
    ({ name, pk, sk, gsi1, id, count, version = 1, about }) =>
      `| ${[name, code(pk), code(sk), code(gsi1?.pk, gsi1?.sk), code(id), code(count), version, about].join(' | ')} |`,
  )
  return [
    '# The table',
    '',
    'Every kind of row of the one table, written from the declarations in `shared/**/rows.ts` by',
    '`npx vitest run tests/table -u`. `{name}` is a placeholder for a variable part; gsi1 is the index; `id` is what the ids of such rows',
    'begin with, and `count` the attribute of their user’s account that counts them.',
    '',
    '| row | partition key | sort key | gsi1 | id | count | version | content |',
    '| --- | --- | --- | --- | --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n')
}
