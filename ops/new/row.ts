import { addLine, type Draft, type Edit, place } from './draft.ts'

export function row([path = '', name = '']: readonly string[]): Draft | undefined {
  if (!place.test(path) || !/^[a-z]+[a-zA-Z]*$/.test(name)) return undefined
  return {
    files: { [`shared/${path}/rows.ts`]: rows(name) },
    edits: { 'tests/table/traffic.ts': rareRow(name) },
    generates: ['table'],
    next: [
      'give the row its keys, its schema and the prefix of its ids, and describe it in the comment',
      'npx vitest run tests/table -u',
      `if ${name} rows are written or read more often than five times per second: their rate in tests/table/traffic.ts`,
      'if the behaviour of its agent depends on it, restore points contain it; decide also about archives and duplicates: AGENTS.md, "A row", names the files',
      'if it belongs to a user: a line of accountDeletionHooks in functions/jobs/entitlements.ts; if it belongs to an agent: a DeletionHook in functions/jobs/provisioning/on-deleted.ts',
      'npx vitest run tests/table tests/releases',
    ],
  }
}

/** Returns an edit that estimates a row's traffic as the one of rare actions. */
export function rareRow(name: string): Edit {
  const start = "[\n      'account’s failed sign-ins',"
  return addLine([start], `'${name}',`, 'sorted')
}

function rows(name: string): string {
  return `import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'

/** A ${name} of a user. */
export const ${name}Rows = entity({
  name: '${name}',
  pk: 'user#{userId}',
  sk: '${name}#{${name}Id}',
  schema: () => z.object({ createdAt: z.string() }),
})
`
}
